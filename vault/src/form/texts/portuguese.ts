import type { Texts } from './keys.ts';

export const portuguese: Texts = {
  title: 'Dados do cartão',
  loading: 'A carregar o formulário do cartão',
  number: 'Número do cartão',
  expiry: 'Data de validade',
  expiryPlaceholder: 'MM / AA',
  cvc: 'Código de segurança',
  name: 'Nome no cartão',
  postalCode: 'Código postal',
  cvcHint3: '3 dígitos no verso do cartão',
  cvcHint4: '4 dígitos na frente do cartão',
  brandDetected: 'Cartão {brand}',
  number_incomplete: 'Insira o número completo do cartão.',
  number_invalid: 'Verifique o número do cartão; contém um erro.',
  expiry_incomplete: 'Insira o mês e o ano de validade.',
  expiry_past: 'Este cartão expirou; use outro.',
  cvc_incomplete: 'Insira o código de segurança: {hint}.',
  name_required: 'Insira o nome como aparece no cartão.',
  postal_code_required: 'Insira o código postal do endereço de faturação.',
  brand_unsupported: 'Esta marca não é aceite aqui; use outro cartão.',
  session_expired: 'Este pagamento expirou; recarregue a página para continuar.',
  rate_limited: 'Demasiadas tentativas; aguarde um pouco e tente novamente.',
  card_declined: 'O cartão foi recusado; use outro ou contacte o seu banco.',
  unavailable:
    'Não foi possível contactar o serviço de cartões; nada foi cobrado, tente novamente.',
};
