import type { Texts } from './en.ts';

export const texts: Texts = {
  title: 'Número de tarjeta, fecha de caducidad y código de seguridad',
  confirming: 'Confirme con su banco',
  wait: 'Conectando con su banco…',
  frame: 'Página de confirmación de su banco',
  trouble: '¿No aparece la página de su banco?',
  open: 'Abrirla en una ventana nueva',
  elsewhere: 'Su banco se abre en una ventana nueva. Después, esta página continúa por sí sola.',
  checking: 'Comprobando su tarjeta…',
  cancel: 'Cancelar',
  stopTitle: '¿Detener la confirmación?',
  stopText: 'Entonces la tarjeta no se guarda.',
  stopYes: 'Detener',
  stopNo: 'Continuar',
  declined: 'Su banco ha rechazado esta tarjeta. No se ha guardado.',
  notConfirmed: 'Su banco no ha podido confirmar que es usted. La tarjeta no se ha guardado.',
  reload: 'No se pudo cargar una parte de esta página. Vuelva a cargarla e inténtelo de nuevo.',
  paying: {
    stopText: 'Entonces no se cobra nada.',
    declined: 'Su banco ha rechazado el pago. No se ha cobrado nada.',
    notConfirmed: 'Su banco no ha podido confirmar que es usted. No se ha cobrado nada.',
  },
};
