import type { Texts } from './en.ts';

export const fr: Texts = {
  title: 'Paiement',
  backTo: (place) => `Retour à ${place}`,
  back: 'Retour à la boutique',
  questions: 'Des questions\u00a0?',
  termsOf: (merchant) => `Conditions de ${merchant}`,
  sandbox: 'Mode test',
  testMode: 'Mode test',
  sandboxHint: 'Aucun argent réel ici. Carte de test : 4242\u00a04242\u00a04242\u00a04242.',
  summary: 'Votre commande',
  showAll: (count) => `Afficher les ${count} articles`,
  quantity: (count) => `${count} pièces`,
  total: 'Total à régler',
  subtotal: 'Sous-total',
  discount: 'Remise',
  toPay: 'À payer',
  toHold: 'À autoriser',
  cardTitle: 'Carte bancaire',
  cardFrame: 'Numéro de carte, date d’expiration et cryptogramme',
  receiptFor: (email) => `Paiement au nom de ${email}`,
  pay: (amount) => `Payer ${amount}`,
  authorise: (amount) => `Autoriser ${amount}`,
  holdLine:
    'Votre carte n’est pas débitée maintenant. Le montant est réservé et la boutique le débite plus tard.',
  safe: 'Votre numéro de carte ne va qu’au formulaire du prestataire de paiement, jamais à la boutique.',
  paying: 'Paiement en cours…',
  authorising: 'Autorisation en cours…',
  payingHint: 'Merci de garder cette page ouverte.',
  loading: 'Chargement de votre paiement',

  payWith: 'Payer avec',
  anyBrand: 'Carte',
  savedCard: (brand, lastFour) => `${brand} se terminant par ${lastFour}`,
  otherCard: 'Une autre carte',
  cardExpires: (date) => `Expire ${date}`,
  cardExpired: (date) => `Expirée ${date}`,
  cardDeclined: 'Refusée',
  keepCard: 'Enregistrer cette carte pour mes prochains paiements dans cette boutique',
  repeats: {
    day: (amount) => `puis ${amount} chaque jour`,
    week: (amount) => `puis ${amount} chaque semaine`,
    month: (amount) => `puis ${amount} chaque mois`,
    year: (amount) => `puis ${amount} chaque année`,
  },
  keepLine:
    'Votre moyen de paiement est enregistré et débité à chaque échéance, jusqu’à la résiliation de l’abonnement.',
  cancelOnPage: 'Vous pouvez le résilier sur la page de vos achats.',
  cancelByShop: 'Pour résilier, adressez-vous à la boutique.',

  redirecting: 'Redirection vers votre banque',
  redirectingWallet: 'Redirection vers votre portefeuille',
  challenge: 'Votre banque vous attend',
  challengeElsewhere:
    'Terminez la confirmation là où votre banque l’a ouverte. Cette page continue ensuite d’elle-même.',
  challengeStop: 'Payer autrement',

  confirming: 'Confirmez auprès de votre banque',
  confirmingWait: 'Connexion à votre banque…',
  confirmingFrame: 'Page de confirmation de votre banque',
  confirmingTrouble: 'La page de votre banque ne s’affiche pas ?',
  confirmingHere: 'L’ouvrir dans cette fenêtre',
  cancel: 'Annuler',
  stopTitle: 'Arrêter la confirmation ?',
  stopText: 'Rien ne sera débité et vous pourrez payer autrement.',
  stopYes: 'Arrêter',
  stopNo: 'Continuer',

  wallet: 'Votre portefeuille vous attend',
  walletText: 'Approuvez ce paiement dans votre portefeuille. Rien n’est débité avant.',
  walletOpen: 'Continuer dans le portefeuille',
  walletStop: 'Payer plutôt par carte',
  walletPay: 'Payer avec votre portefeuille',
  orCard: 'ou par carte',

  couponOpen: 'Ajouter un code de réduction',
  couponLabel: 'Code de réduction',
  couponApply: 'Appliquer',
  couponRemove: (code) => `Retirer le code ${code}`,
  couponApplied: (total) => `Le code est appliqué. Nouveau total : ${total}`,
  couponRemoved: (total) => `Le code est retiré. Nouveau total : ${total}`,
  coupons: {
    coupon_unknown: 'Ce code n’existe pas. Vérifiez son orthographe.',
    coupon_inactive: 'Ce code n’est pas utilisable en ce moment.',
    coupon_not_started: 'Ce code n’est pas encore valable.',
    coupon_ended: 'Ce code n’est plus valable.',
    coupon_exhausted: 'Ce code a déjà été utilisé autant de fois que permis.',
    coupon_currency_differs: 'Ce code ne vaut pas pour la devise de votre commande.',
    coupon_repeated: 'Ce code fait déjà partie de votre commande.',
    coupon_without_effect: 'Ce code ne réduit aucun article de votre commande.',
    rate_limited: 'Trop de codes essayés. Patientez une minute.',
    checkout_attempt_in_progress: 'Un paiement est en cours. Le code pourra être modifié ensuite.',
  },
  couponOther: 'Ce code ne peut pas servir pour votre commande.',

  payPlain: 'Payer',
  cartComing: 'En attente de votre commande',
  cartComingText:
    'La boutique prépare encore votre commande. Le montant s’affiche ici dans un instant, et rien n’est débité avant.',

  setupLine:
    'Rien n’est débité maintenant. La boutique pourra débiter cette carte pour vos commandes à venir.',
  saved: 'Carte enregistrée',
  savedText: 'Votre banque a confirmé la carte. Rien n’a été débité.',
  setup: {
    title: 'Enregistrer une carte',
    loading: 'Chargement du formulaire',
    cardTitle: 'Enregistrer une carte',
    receiptFor: (email) => `Sera enregistrée pour ${email}`,
    payPlain: 'Enregistrer la carte',
    paying: 'Enregistrement…',
    challengeStop: 'Utiliser une autre carte',
    stopText: 'La carte ne sera pas enregistrée et vous pourrez en utiliser une autre.',
    checking: 'Nous vérifions votre carte',
    checkingText: 'Cela peut prendre un moment. Le résultat s’affiche ici.',
    expired: 'Ce lien a expiré',
    expiredText: 'Aucune carte n’a été enregistrée. Retournez à la boutique et recommencez.',
    canceled: 'L’opération a été annulée',
    canceledText: 'Aucune carte n’a été enregistrée.',
    declineOther: 'La banque a refusé la carte.',
    problemTitle: 'La carte n’a pas été enregistrée',
  },

  checking: 'Nous vérifions votre paiement',
  checkingText:
    'Cela peut prendre un moment. Ne payez pas une deuxième fois ; le résultat s’affiche ici.',
  checkingLong:
    'C’est plus long que d’habitude. Vous pouvez fermer cette page : nous informerons la boutique du résultat.',
  checkingOffline: 'La connexion est coupée. Nous continuons dès qu’elle revient.',

  succeeded: 'Paiement effectué',
  succeededText: (amount) => `Vous avez payé ${amount}. Merci.`,
  complete: 'Finaliser la commande',
  completing: 'Finalisation…',
  freeLine: 'Rien n’est à payer, aucune carte n’est nécessaire.',
  ordered: 'Commande finalisée',
  orderedText: 'Rien n’était à payer et rien n’a été débité. Merci.',
  authorized: 'Paiement autorisé',
  authorizedText: (amount) =>
    `${amount} sont réservés sur votre carte. Rien n’est débité pour l’instant.`,
  authorizedUntil: (date) =>
    `La boutique peut débiter jusqu’au ${date} ; ensuite, la réservation prend fin.`,
  authorizedBefore: (amount, date) =>
    `${amount} ont été réservés sur votre carte le ${date}. La boutique peut vous dire ce qu’il en est advenu.`,
  continueTo: (place) => `Continuer vers ${place}`,
  continue: 'Continuer vers la boutique',
  returning: 'Retour à la boutique…',
  reference: 'Référence du paiement',

  expired: 'Ce lien de paiement a expiré',
  expiredText: 'Rien n’a été débité. Retournez à la boutique et recommencez le paiement.',
  canceled: 'Ce paiement a été annulé',
  canceledText: 'Rien n’a été débité.',
  returned: 'Vous pouvez fermer cette page',
  returnedText:
    'La suite se passe dans la fenêtre où vous avez commencé. La boutique apprend aussi le résultat.',
  notFound: 'Ce lien de paiement ne fonctionne pas',
  notFoundText:
    'Il est incomplet ou appartient à un autre onglet. Ouvrez de nouveau le lien de la boutique.',
  unusable: 'Ce paiement est impossible ici',
  unusableText:
    'La boutique a envoyé une demande incomplète. Rien n’a été débité ; revenez en arrière.',
  unreachable: 'Le service de paiement est injoignable',
  unreachableText: 'Vérifiez votre connexion.',
  retry: 'Réessayer',

  formTitle: 'Le formulaire de carte ne s’est pas chargé',
  formProblems: {
    blocked_by_csp: 'Une règle de sécurité de cette page le bloque. Prévenez la boutique.',
    blocked_by_extension_or_network:
      'Une extension ou le réseau le bloque peut-être. Désactivez les bloqueurs pour cette page et réessayez.',
    origin_not_allowed: 'La boutique n’a pas autorisé cette adresse. Prévenez la boutique.',
    session_expired: 'Le formulaire est resté ouvert trop longtemps.',
    version_mismatch: 'Cette page n’est plus à jour.',
  },

  declineTitle: 'La carte a été refusée',
  declines: {
    insufficient_funds: 'Le solde de la carte est insuffisant.',
    lost_card: 'La banque n’accepte pas cette carte.',
    stolen_card: 'La banque n’accepte pas cette carte.',
    expired_card: 'La carte a expiré.',
    incorrect_cvc: 'Le cryptogramme est incorrect.',
    invalid_cvc: 'Le cryptogramme est incorrect.',
    incorrect_number: 'Le numéro de carte est incorrect.',
    invalid_number: 'Le numéro de carte est incorrect.',
    invalid_expiry_month: 'La date d’expiration est incorrecte.',
    invalid_expiry_year: 'La date d’expiration est incorrecte.',
    processing_error: 'La banque n’a pas pu traiter le paiement.',
    authentication_required: 'Votre banque vous demande de confirmer le paiement.',
    authentication_failed: 'Votre banque n’a pas pu confirmer votre identité.',
    card_not_supported: 'Cette carte ne permet pas ce paiement.',
    currency_not_supported: 'La carte n’accepte pas cette devise.',
    card_velocity_exceeded: 'Le plafond de la carte est atteint.',
    do_not_honor: 'La banque a refusé sans donner de raison.',
    generic_decline: 'La banque a refusé sans donner de raison.',
  },
  declineOther: 'La banque a refusé le paiement.',
  advices: {
    try_again_later: 'Rien n’a été débité. Réessayez plus tard ou utilisez une autre carte.',
    confirm_card_data: 'Rien n’a été débité. Vérifiez les données de la carte et réessayez.',
    do_not_try_again:
      'Rien n’a été débité. Utilisez une autre carte ou adressez-vous à votre banque.',
  },

  adviceOther: 'Rien n’a été débité. Réessayez ou utilisez une autre carte.',

  problemTitle: 'Le paiement n’a pas été effectué',
  problems: {
    gateway_refused:
      'La boutique ne peut pas accepter de paiements pour le moment. Rien n’a été débité ; veuillez prévenir la boutique.',
    gateway_unavailable:
      'Le réseau de cartes est injoignable. Rien n’a été débité ; veuillez réessayer.',
    service_unavailable:
      'Le service de paiement est surchargé. Rien n’a été débité ; veuillez réessayer.',
    rate_limited: 'Trop de tentatives. Rien n’a été débité ; attendez une minute, puis réessayez.',
    session_locked:
      'Trop de tentatives. Rien n’a été débité, et aucune autre carte n’est acceptée ici. Retournez à la boutique et recommencez.',
    not_received:
      'Le paiement ne nous est pas parvenu. Rien n’a été débité ; vous pouvez réessayer.',
    card_token_spent: 'Veuillez saisir à nouveau votre carte. Rien n’a été débité.',
    form_unavailable:
      'Le formulaire de carte n’a pas reçu de réponse. Rien n’a été débité ; veuillez réessayer.',
    form_refused:
      'Le formulaire de carte ne peut accepter aucune carte ici. Rien n’a été débité ; veuillez prévenir la boutique.',
    wallet_declined:
      'Votre portefeuille a refusé. Rien n’a été débité ; réessayez ou payez par carte.',
    amount_not_supported:
      'Ce montant ne peut pas être payé ici par carte. Rien n’a été débité ; veuillez modifier votre commande dans la boutique.',
    capture_method_not_supported:
      'Votre portefeuille ne peut pas servir pour cette commande. Rien n’a été débité ; payez par carte.',
    challenge_canceled:
      'La confirmation a été annulée. Rien n’a été débité ; vous pouvez réessayer.',
    challenge_abandoned:
      'Il n’a pas été confirmé à temps. Rien n’a été débité ; vous pouvez réessayer.',
    buyer_not_verified:
      'La boutique doit savoir qui vous êtes pour pouvoir enregistrer votre carte. Rien n’a été débité ; connectez-vous à la boutique et recommencez.',
    payment_method_not_found:
      'Cette carte n’est plus enregistrée. Rien n’a été débité ; choisissez-en une autre.',
    buyer_mismatch: 'Ce paiement appartient à une autre personne. Rien n’a été débité.',
    checkout_session_total_changed:
      'Le total de votre commande a changé. Rien n’a été débité ; vérifiez-le, puis payez.',
    coupon_exhausted:
      'Un code de réduction de votre commande est épuisé. Rien n’a été débité ; retirez le code, puis payez.',
    coupon_inactive:
      'Un code de réduction de votre commande n’est plus valable. Rien n’a été débité ; retirez le code, puis payez.',
    subscription_exists:
      'Vous avez déjà cet abonnement, ou un autre paiement est en cours pour lui. Rien n’a été débité ; la boutique peut vous renseigner.',
    checkout_session_claim_pending:
      'La boutique n’a pas encore préparé votre commande. Rien n’a été débité ; réessayez dans un instant ou retournez à la boutique.',
  },
  waitText: (time) =>
    `Trop de tentatives. Rien n’a été débité. Vous pourrez réessayer dans ${time}.`,
  problemOther: 'Un élément de la demande a été refusé. Rien n’a été débité.',
  problemReference: (code) => `Référence : ${code}`,
};
