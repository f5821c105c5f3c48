import type { Texts } from './en.ts';

export const texts: Texts = {
  title: 'Número do cartão, validade e código de segurança',
  confirming: 'Confirme com o seu banco',
  wait: 'A ligar ao seu banco…',
  frame: 'Página de confirmação do seu banco',
  trouble: 'A página do seu banco não aparece?',
  open: 'Abrir numa nova janela',
  elsewhere: 'O seu banco abre numa nova janela. Depois, esta página continua por si.',
  checking: 'A verificar o seu cartão…',
  cancel: 'Cancelar',
  stopTitle: 'Parar a confirmação?',
  stopText: 'O cartão não será guardado.',
  stopYes: 'Parar',
  stopNo: 'Continuar',
  declined: 'O seu banco recusou este cartão. Não foi guardado.',
  notConfirmed: 'O seu banco não conseguiu confirmar que é o titular. O cartão não foi guardado.',
  reload: 'Não foi possível carregar uma parte desta página. Recarregue-a e tente novamente.',
  paying: {
    stopText: 'Nada será cobrado.',
    declined: 'O seu banco recusou o pagamento. Nada foi cobrado.',
    notConfirmed: 'O seu banco não conseguiu confirmar que é o titular. Nada foi cobrado.',
  },
};
