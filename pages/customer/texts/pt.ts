import type { CustomerTexts } from './en.ts';

export const pt: CustomerTexts = {
  title: 'Os seus cartões guardados',
  titleWallets: 'As suas carteiras guardadas',
  at: (merchant) => `em ${merchant}`,
  signedAs: (email) => `Para ${email}`,
  intro: 'A loja pode cobrar as suas encomendas nestes cartões. Nunca vê os números.',
  introWallets: 'A loja pode cobrar as suas encomendas nestas carteiras.',
  loading: 'A carregar os seus cartões',
  empty: 'Nenhum cartão guardado',
  emptyText: 'Adicione um e não terá de o escrever na próxima encomenda.',
  default: 'Predefinido',
  wallet: 'Carteira',
  expiresSoon: (date) => `Expira em breve: ${date}`,

  add: 'Adicionar um cartão',
  replace: 'Substituir',
  replaceNote: (card) => `Depois de guardado o novo cartão, ${card} é removido.`,
  remove: 'Remover',
  removing: 'A remover…',
  leaving: 'A remoção ainda não está concluída.',
  makeDefault: 'Predefinir',
  changing: 'A alterar…',

  askTitle: (card) => `Remover ${card}?`,
  askText: 'A loja deixa de o poder cobrar.',
  askMoves:
    'As subscrições pagas com ele passam para outro cartão guardado, se houver um que o possa render.',
  askYes: 'Remover cartão',
  askNo: 'Manter cartão',

  added: 'O cartão foi adicionado.',
  replaced: (card) => `O novo cartão foi adicionado e ${card} foi removido.`,
  removed: (card) => `${card} foi removido.`,
  defaultChanged: (card) => `${card} é agora o predefinido.`,

  titleAll: 'As suas compras e cartões',
  subscriptions: 'Subscrições',
  payments: 'Pagamentos',
  every: {
    day: (sum) => `${sum} por dia`,
    week: (sum) => `${sum} por semana`,
    month: (sum) => `${sum} por mês`,
    year: (sum) => `${sum} por ano`,
  },
  nextPaymentOn: (day) => `Próximo pagamento a ${day}`,
  renewedOn: (day) => `Renovada a ${day}`,
  triedAgainOn: (day) => `O pagamento falhou. Nova tentativa a ${day}.`,
  endsOn: (day) => `Termina a ${day}. Nada mais é cobrado.`,
  endedOn: (day) => `Terminou a ${day}`,
  paidWith: (card) => `Pago com ${card}`,
  end: 'Cancelar subscrição',
  takeBack: 'Continuar subscrição',
  endByShop: 'Para cancelar esta subscrição, contacte a loja.',
  endTitle: (name) => `Cancelar ${name}?`,
  endText: (day) => `Continua até ${day} e nada mais é cobrado. Até lá, pode continuá-la aqui.`,
  endNowText: 'O último pagamento falhou, por isso termina já. Nada mais é cobrado.',
  endYes: 'Cancelar subscrição',
  endNo: 'Manter subscrição',
  ends: (name, day) => `${name} termina a ${day}.`,
  hasEnded: (name) => `${name} terminou.`,
  goesOn: (name, day) => `${name} continua. Próximo pagamento a ${day}.`,
  endFailed: 'A subscrição não foi cancelada',
  resumeFailed: 'A subscrição não foi continuada',
  receiptFailed: 'Não foi possível abrir o recibo',
  purchasesFailed: 'Não foi possível carregar as suas subscrições e pagamentos',
  payment: 'Pagamento',
  refund: 'Reembolso',
  states: {
    held: 'Reservado, ainda não cobrado',
    processing: 'Em curso',
    paid: 'Pago',
    partly_refunded: 'Reembolsado em parte',
    refunded: 'Reembolsado',
  },
  receipt: 'Recibo',
  older: 'Ver pagamentos anteriores',

  details: 'Os seus dados',
  name: 'Nome',
  noName: 'Sem nome',
  language: 'Idioma',
  languageOfBrowser: 'O do navegador',
  change: 'Alterar',
  newEmail: 'Novo endereço de e-mail',
  newEmailHint: (email) => `Agora ${email}. Deixe vazio para o manter.`,
  save: 'Guardar',
  pending: (email) => `À espera da sua confirmação a partir do e-mail enviado para ${email}.`,
  pendingDrop: 'Desistir do novo endereço',
  detailsSaved: 'Os seus dados foram guardados.',
  addressMailed:
    'Um e-mail vai a caminho do novo endereço. Passa a valer quando o confirmar na página a que o e-mail conduz.',
  addressDropped: 'O novo endereço foi abandonado.',
  detailsFailed: 'Os seus dados não foram guardados',
  detailsUnread: 'Não foi possível carregar os seus dados',
  emailWrong: 'Isto não é um endereço de e-mail.',
  emailOften: 'Foi pedido demasiadas vezes. Tente de novo dentro de uma hora.',

  removeFailed: 'O cartão não foi removido',
  addFailed: 'Não foi possível abrir o formulário',
  defaultFailed: 'O predefinido não foi alterado',
  problems: {
    customer_page_limited: 'O link da loja não permite isto. Peça-o à loja, ou peça outro link.',
    payment_method_in_use:
      'Uma subscrição é paga com este cartão e nenhum outro cartão guardado o pode render. Adicione primeiro outro cartão e depois remova este.',
    payment_method_has_active_payment:
      'Um pagamento com este cartão ainda não terminou. Espere que termine e tente de novo.',
    payment_method_reassignment_requires_payer_action:
      'Uma subscrição é paga com esta carteira e só você pode aprovar outra forma. Peça à loja que altere o pagamento e depois remova a carteira.',
    payment_method_not_found: 'Este cartão já não está guardado.',
    unusable: 'Este cartão está a ser removido, ou não pode ser usado de momento.',
    retry_delete:
      'Ainda não foi possível concluir a remoção. O cartão fica nesta lista até lá; tente de novo dentro de momentos.',
    contact_support:
      'Não foi possível concluir a remoção e não é certo como está o cartão. Contacte a loja antes de tentar de novo.',
    update_funding_manually:
      'Não foi possível passar para outro cartão o que é pago com este. Peça à loja que altere o pagamento e depois remova o cartão.',
    gateway_refused:
      'A loja não tem acesso à rede de cartões neste momento. Nada foi alterado; avise a loja.',
    gateway_unavailable:
      'Não é possível contactar a rede de cartões. Nada foi alterado; tente de novo.',
    gateway_outcome_unknown:
      'Ainda não se sabe se resultou. Recarregue esta página dentro de um minuto.',
    subscription_ended: 'A subscrição já terminou.',
    subscription_end_by_merchant:
      'A loja terminou esta subscrição. Pergunte à loja se quiser mantê-la.',
    customer_page_cancel_off: 'Para cancelar esta subscrição, contacte a loja.',
    rate_limited: 'Demasiadas tentativas. Espere um minuto.',
  },
  problemOther: 'Foi recusado. Nada foi alterado.',

  find: 'As suas compras',
  findText: 'Escreva o endereço com que comprou. Enviamos-lhe um link.',
  findField: 'Endereço de e-mail',
  findSend: 'Enviar-me o link',
  findSent: 'Se algo foi comprado com este endereço, um link vai a caminho.',

  confirm: 'Confirme o seu novo endereço',
  confirmText: 'A loja passa então a escrever para este endereço e não para o anterior.',
  confirmYes: 'Confirmar endereço',
  confirmed: 'O seu endereço foi alterado',
  confirmedText: (shop, email) => `${shop} escreve agora para ${email}.`,
  addressOverText:
    'Funciona um dia, e só a mais recente funciona. Peça a alteração de novo na sua página.',

  gone: 'Esta ligação não funciona',
  goneText:
    'A ligação é desconhecida ou está incompleta. Abra-a de novo onde a recebeu ou peça uma nova à loja.',
  linkOver: 'Esta ligação expirou',
  linkOverText: 'Uma ligação da loja funciona dez minutos. Peça uma nova à loja.',
  mailOverText:
    'Uma ligação num e-mail funciona sete dias. Podemos enviar uma nova para o mesmo endereço.',
  mailAgain: 'Enviar-me uma nova ligação',
  mailed: 'Uma nova ligação está a caminho.',
  expired: 'Esta página expirou',
  expiredText:
    'Para sua segurança funciona meia hora. Abra de novo a ligação do e-mail ou peça uma nova à loja.',
  unreachableText: 'Verifique a sua ligação à rede.',
};
