import type { CustomerTexts } from './en.ts';

export const fr: CustomerTexts = {
  title: 'Vos cartes enregistrées',
  titleWallets: 'Vos portefeuilles enregistrés',
  at: (merchant) => `chez ${merchant}`,
  signedAs: (email) => `Pour ${email}`,
  intro:
    'La boutique peut débiter ces cartes pour vos commandes. Elle n’en voit jamais les numéros.',
  introWallets: 'La boutique peut débiter ces portefeuilles pour vos commandes.',
  loading: 'Chargement de vos cartes',
  empty: 'Aucune carte enregistrée',
  emptyText: 'Ajoutez-en une pour ne plus avoir à la saisir à la prochaine commande.',
  default: 'Par défaut',
  wallet: 'Portefeuille',
  expiresSoon: (date) => `Expire bientôt : ${date}`,

  add: 'Ajouter une carte',
  replace: 'Remplacer',
  replaceNote: (card) => `Une fois la nouvelle carte enregistrée, ${card} sera supprimée.`,
  remove: 'Supprimer',
  removing: 'Suppression…',
  leaving: 'La suppression n’est pas encore terminée.',
  makeDefault: 'Par défaut',
  changing: 'Modification…',

  askTitle: (card) => `Supprimer ${card} ?`,
  askText: 'La boutique ne pourra plus la débiter.',
  askMoves:
    'Les abonnements payés avec elle passent à une autre carte enregistrée, si l’une d’elles peut prendre le relais.',
  askYes: 'Supprimer la carte',
  askNo: 'Garder la carte',

  added: 'La carte a été ajoutée.',
  replaced: (card) => `La nouvelle carte a été ajoutée et ${card} a été supprimée.`,
  removed: (card) => `${card} a été supprimée.`,
  defaultChanged: (card) => `${card} est maintenant la carte par défaut.`,

  titleAll: 'Vos achats et vos cartes',
  subscriptions: 'Abonnements',
  payments: 'Paiements',
  every: {
    day: (sum) => `${sum} par jour`,
    week: (sum) => `${sum} par semaine`,
    month: (sum) => `${sum} par mois`,
    year: (sum) => `${sum} par an`,
  },
  nextPaymentOn: (day) => `Prochain paiement le ${day}`,
  renewedOn: (day) => `Renouvelé le ${day}`,
  triedAgainOn: (day) => `Le paiement a échoué. Nouvel essai le ${day}.`,
  endsOn: (day) => `Se termine le ${day}. Plus rien n’est débité.`,
  endedOn: (day) => `Terminé le ${day}`,
  paidWith: (card) => `Payé avec ${card}`,
  end: 'Résilier l’abonnement',
  takeBack: 'Poursuivre l’abonnement',
  endByShop: 'Pour résilier cet abonnement, adressez-vous à la boutique.',
  endTitle: (name) => `Résilier ${name} ?`,
  endText: (day) =>
    `Il court jusqu’au ${day} et plus rien n’est débité. D’ici là, vous pouvez le poursuivre ici.`,
  endNowText:
    'Son dernier paiement a échoué, il se termine donc tout de suite. Plus rien n’est débité.',
  endYes: 'Résilier l’abonnement',
  endNo: 'Garder l’abonnement',
  ends: (name, day) => `${name} se termine le ${day}.`,
  hasEnded: (name) => `${name} est terminé.`,
  goesOn: (name, day) => `${name} continue. Prochain paiement le ${day}.`,
  endFailed: 'L’abonnement n’a pas été résilié',
  resumeFailed: 'L’abonnement n’a pas été poursuivi',
  receiptFailed: 'Le reçu n’a pas pu s’ouvrir',
  purchasesFailed: 'Vos abonnements et paiements n’ont pas pu être chargés',
  payment: 'Paiement',
  refund: 'Remboursement',
  states: {
    held: 'Réservé, pas encore débité',
    processing: 'En cours',
    paid: 'Payé',
    partly_refunded: 'Remboursé en partie',
    refunded: 'Remboursé',
  },
  receipt: 'Reçu',
  older: 'Voir les paiements plus anciens',

  details: 'Vos informations',
  name: 'Nom',
  noName: 'Aucun nom',
  language: 'Langue',
  languageOfBrowser: 'Celle du navigateur',
  change: 'Modifier',
  newEmail: 'Nouvelle adresse e-mail',
  newEmailHint: (email) => `Actuellement ${email}. Laissez vide pour la garder.`,
  save: 'Enregistrer',
  pending: (email) => `En attente de votre confirmation depuis l’e-mail envoyé à ${email}.`,
  pendingDrop: 'Abandonner la nouvelle adresse',
  detailsSaved: 'Vos informations ont été enregistrées.',
  addressMailed:
    'Un e-mail est en route vers la nouvelle adresse. Elle comptera dès que vous aurez confirmé sur la page indiquée dans cet e-mail.',
  addressDropped: 'La nouvelle adresse a été abandonnée.',
  detailsFailed: 'Vos informations n’ont pas été enregistrées',
  detailsUnread: 'Vos informations n’ont pas pu être chargées',
  emailWrong: 'Ce n’est pas une adresse e-mail.',
  emailOften: 'Trop de demandes. Réessayez dans une heure.',

  removeFailed: 'La carte n’a pas été supprimée',
  addFailed: 'Le formulaire de carte n’a pas pu s’ouvrir',
  defaultFailed: 'La carte par défaut n’a pas été modifiée',
  problems: {
    customer_page_limited:
      'Le lien de la boutique ne permet pas cela. Demandez-le à la boutique, ou demandez un autre lien.',
    payment_method_in_use:
      'Un abonnement est payé avec cette carte et aucune autre carte enregistrée ne peut prendre le relais. Ajoutez d’abord une autre carte, puis supprimez celle-ci.',
    payment_method_has_active_payment:
      'Un paiement avec cette carte n’est pas encore terminé. Attendez qu’il le soit, puis réessayez.',
    payment_method_reassignment_requires_payer_action:
      'Un abonnement est payé avec ce portefeuille et vous seul pouvez approuver un autre moyen. Demandez à la boutique de changer le moyen de paiement, puis supprimez le portefeuille.',
    payment_method_not_found: 'Cette carte n’est plus enregistrée.',
    unusable:
      'Cette carte est en cours de suppression, ou ne peut pas être utilisée pour le moment.',
    retry_delete:
      'La suppression n’a pas encore pu être terminée. La carte reste dans cette liste jusque-là ; réessayez dans un instant.',
    contact_support:
      'La suppression n’a pas pu être terminée et l’état de la carte n’est pas certain. Adressez-vous à la boutique avant de réessayer.',
    update_funding_manually:
      'Ce qui est payé avec cette carte n’a pas pu être transféré à une autre. Demandez à la boutique de changer le moyen de paiement, puis supprimez la carte.',
    gateway_refused:
      'La boutique n’a pas accès au réseau de cartes pour le moment. Rien n’a été modifié ; veuillez prévenir la boutique.',
    gateway_unavailable: 'Le réseau de cartes est injoignable. Rien n’a été modifié ; réessayez.',
    gateway_outcome_unknown:
      'On ne sait pas encore si cela a réussi. Rechargez cette page dans une minute.',
    subscription_ended: 'L’abonnement est déjà terminé.',
    subscription_end_by_merchant:
      'La boutique a mis fin à cet abonnement. Demandez-lui si vous souhaitez le garder.',
    customer_page_cancel_off: 'Pour résilier cet abonnement, adressez-vous à la boutique.',
    rate_limited: 'Trop de tentatives. Attendez une minute.',
  },
  problemOther: 'Cela a été refusé. Rien n’a été modifié.',

  find: 'Vos achats',
  findText: 'Saisissez l’adresse avec laquelle vous avez acheté. Nous y envoyons un lien.',
  findField: 'Adresse e-mail',
  findSend: 'M’envoyer le lien',
  findSent: 'Si un achat a été fait avec cette adresse, un lien est en route.',

  confirm: 'Confirmez votre nouvelle adresse',
  confirmText: 'La boutique écrira alors à cette adresse, et non plus à l’ancienne.',
  confirmYes: 'Confirmer l’adresse',
  confirmed: 'Votre adresse a été modifiée',
  confirmedText: (shop, email) => `${shop} écrit désormais à ${email}.`,
  addressOverText:
    'Il fonctionne pendant un jour, et seul le plus récent est valable. Redemandez la modification sur votre page.',

  gone: 'Ce lien ne fonctionne pas',
  goneText:
    'Le lien est inconnu ou incomplet. Ouvrez-le de nouveau là où vous l’avez reçu, ou demandez-en un nouveau à la boutique.',
  linkOver: 'Ce lien a expiré',
  linkOverText:
    'Un lien de la boutique est valable dix minutes. Demandez-en un nouveau à la boutique.',
  mailOverText:
    'Un lien reçu par e-mail est valable sept jours. Nous pouvons en envoyer un nouveau à la même adresse.',
  mailAgain: 'M’envoyer un nouveau lien',
  mailed: 'Un nouveau lien est en route.',
  expired: 'Cette page a expiré',
  expiredText:
    'Pour votre sécurité, elle est valable une demi-heure. Ouvrez de nouveau le lien de l’e-mail, ou demandez-en un nouveau à la boutique.',
  unreachableText: 'Vérifiez votre connexion.',
};
