import type { Texts } from './en.ts';

export const texts: Texts = {
  title: 'Numéro de carte, date d’expiration et code de sécurité',
  confirming: 'Confirmez auprès de votre banque',
  wait: 'Connexion à votre banque…',
  frame: 'Page de confirmation de votre banque',
  trouble: 'La page de votre banque ne s’affiche pas ?',
  open: 'L’ouvrir dans une nouvelle fenêtre',
  elsewhere:
    'Votre banque s’ouvre dans une nouvelle fenêtre. Cette page continue ensuite d’elle-même.',
  checking: 'Vérification de votre carte…',
  cancel: 'Annuler',
  stopTitle: 'Arrêter la confirmation ?',
  stopText: 'La carte ne sera alors pas enregistrée.',
  stopYes: 'Arrêter',
  stopNo: 'Continuer',
  declined: 'Votre banque a refusé cette carte. Elle n’a pas été enregistrée.',
  notConfirmed:
    'Votre banque n’a pas pu confirmer votre identité. La carte n’a pas été enregistrée.',
  reload: 'Une partie de cette page n’a pas pu être chargée. Rechargez la page et réessayez.',
  paying: {
    stopText: 'Rien ne sera alors débité.',
    declined: 'Votre banque a refusé le paiement. Rien n’a été débité.',
    notConfirmed: 'Votre banque n’a pas pu confirmer votre identité. Rien n’a été débité.',
  },
};
