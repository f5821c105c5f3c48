import type { CustomerTexts } from './en.ts';

export const nl: CustomerTexts = {
  title: 'Uw bewaarde kaarten',
  titleWallets: 'Uw bewaarde wallets',
  at: (merchant) => `bij ${merchant}`,
  signedAs: (email) => `Voor ${email}`,
  intro: 'De winkel kan deze kaarten belasten voor uw bestellingen. De nummers ziet hij nooit.',
  introWallets: 'De winkel kan deze wallets belasten voor uw bestellingen.',
  loading: 'Uw kaarten worden geladen',
  empty: 'Geen kaart bewaard',
  emptyText: 'Voeg er een toe, dan hoeft u die bij de volgende bestelling niet weer in te typen.',
  default: 'Standaard',
  wallet: 'Wallet',
  expiresSoon: (date) => `Verloopt binnenkort: ${date}`,

  add: 'Kaart toevoegen',
  replace: 'Vervangen',
  replaceNote: (card) => `Zodra de nieuwe kaart is bewaard, wordt ${card} verwijderd.`,
  remove: 'Verwijderen',
  removing: 'Bezig met verwijderen…',
  leaving: 'Het verwijderen is nog niet voltooid.',
  makeDefault: 'Als standaard',
  changing: 'Bezig met wijzigen…',

  askTitle: (card) => `${card} verwijderen?`,
  askText: 'De winkel kan die dan niet meer belasten.',
  askMoves:
    'Abonnementen die ermee worden betaald, gaan over op een andere bewaarde kaart, als er een kan overnemen.',
  askYes: 'Kaart verwijderen',
  askNo: 'Kaart houden',

  added: 'De kaart is toegevoegd.',
  replaced: (card) => `De nieuwe kaart is toegevoegd en ${card} is verwijderd.`,
  removed: (card) => `${card} is verwijderd.`,
  defaultChanged: (card) => `${card} is nu de standaard.`,

  titleAll: 'Uw aankopen en kaarten',
  subscriptions: 'Abonnementen',
  payments: 'Betalingen',
  every: {
    day: (sum) => `${sum} per dag`,
    week: (sum) => `${sum} per week`,
    month: (sum) => `${sum} per maand`,
    year: (sum) => `${sum} per jaar`,
  },
  nextPaymentOn: (day) => `Volgende betaling op ${day}`,
  renewedOn: (day) => `Wordt verlengd op ${day}`,
  triedAgainOn: (day) => `De betaling is mislukt. Nieuwe poging op ${day}.`,
  endsOn: (day) => `Eindigt op ${day}. Er wordt niets meer afgeschreven.`,
  endedOn: (day) => `Beëindigd op ${day}`,
  paidWith: (card) => `Betaald met ${card}`,
  end: 'Abonnement opzeggen',
  takeBack: 'Abonnement voortzetten',
  endByShop: 'Vraag de winkel om dit abonnement op te zeggen.',
  endTitle: (name) => `${name} opzeggen?`,
  endText: (day) =>
    `Het loopt tot ${day} en er wordt niets meer afgeschreven. Tot dan kunt u het hier voortzetten.`,
  endNowText:
    'De laatste betaling is mislukt, dus het eindigt meteen. Er wordt niets meer afgeschreven.',
  endYes: 'Nu opzeggen',
  endNo: 'Abonnement houden',
  ends: (name, day) => `${name} eindigt op ${day}.`,
  hasEnded: (name) => `${name} is beëindigd.`,
  goesOn: (name, day) => `${name} loopt door. Volgende betaling op ${day}.`,
  endFailed: 'Het abonnement is niet opgezegd',
  resumeFailed: 'Het abonnement is niet voortgezet',
  receiptFailed: 'De bon kon niet worden geopend',
  purchasesFailed: 'Uw abonnementen en betalingen konden niet worden geladen',
  payment: 'Betaling',
  refund: 'Terugbetaling',
  states: {
    held: 'Gereserveerd, nog niet afgeschreven',
    processing: 'Bezig',
    paid: 'Betaald',
    partly_refunded: 'Deels terugbetaald',
    refunded: 'Terugbetaald',
  },
  receipt: 'Bon',
  older: 'Oudere betalingen tonen',

  details: 'Uw gegevens',
  name: 'Naam',
  noName: 'Geen naam',
  language: 'Taal',
  languageOfBrowser: 'Zoals in uw browser',
  change: 'Wijzigen',
  newEmail: 'Nieuw e-mailadres',
  newEmailHint: (email) => `Nu ${email}. Laat leeg om dat te houden.`,
  save: 'Opslaan',
  pending: (email) => `Wacht op uw bevestiging uit de mail aan ${email}.`,
  pendingDrop: 'Nieuw adres laten vallen',
  detailsSaved: 'Uw gegevens zijn opgeslagen.',
  addressMailed:
    'Er is een mail onderweg naar het nieuwe adres. Het geldt zodra u het bevestigt op de pagina waar de mail naartoe leidt.',
  addressDropped: 'Het nieuwe adres is vervallen.',
  detailsFailed: 'Uw gegevens zijn niet opgeslagen',
  detailsUnread: 'Uw gegevens konden niet worden geladen',
  emailWrong: 'Dit is geen e-mailadres.',
  emailOften: 'Dit is te vaak gevraagd. Probeer het over een uur opnieuw.',

  removeFailed: 'De kaart is niet verwijderd',
  addFailed: 'Het kaartformulier kon niet worden geopend',
  defaultFailed: 'De standaard is niet gewijzigd',
  problems: {
    customer_page_limited:
      'De link van de winkel staat dit niet toe. Vraag het de winkel, of vraag om een andere link.',
    payment_method_in_use:
      'Een abonnement wordt met deze kaart betaald en geen andere bewaarde kaart kan het overnemen. Voeg eerst een andere kaart toe en verwijder dan deze.',
    payment_method_has_active_payment:
      'Een betaling met deze kaart is nog niet klaar. Wacht tot die klaar is en probeer het dan opnieuw.',
    payment_method_reassignment_requires_payer_action:
      'Een abonnement wordt met deze wallet betaald en alleen u kunt een andere manier goedkeuren. Vraag de winkel de betaling te wijzigen en verwijder dan de wallet.',
    payment_method_not_found: 'Deze kaart is niet meer bewaard.',
    unusable: 'Deze kaart wordt verwijderd, of kan op dit moment niet worden gebruikt.',
    retry_delete:
      'Het verwijderen kon nog niet worden voltooid. De kaart blijft tot dan in deze lijst; probeer het zo opnieuw.',
    contact_support:
      'Het verwijderen kon niet worden voltooid en het is niet zeker hoe het met de kaart staat. Vraag de winkel voordat u het opnieuw probeert.',
    update_funding_manually:
      'Wat met deze kaart wordt betaald, kon niet naar een andere worden verplaatst. Vraag de winkel de betaling te wijzigen en verwijder dan de kaart.',
    gateway_refused:
      'De winkel heeft op dit moment geen toegang tot het kaartnetwerk. Er is niets gewijzigd; laat het de winkel weten.',
    gateway_unavailable:
      'Het kaartnetwerk is niet bereikbaar. Er is niets gewijzigd; probeer het opnieuw.',
    gateway_outcome_unknown:
      'Het is nog niet bekend of dit is gelukt. Laad deze pagina over een minuut opnieuw.',
    subscription_ended: 'Het abonnement is al beëindigd.',
    subscription_end_by_merchant:
      'De winkel heeft dit abonnement beëindigd. Vraag de winkel ernaar als u het wilt houden.',
    customer_page_cancel_off: 'Vraag de winkel om dit abonnement op te zeggen.',
    rate_limited: 'Te veel pogingen. Wacht een minuut.',
  },
  problemOther: 'Dit is geweigerd. Er is niets gewijzigd.',

  find: 'Uw aankopen',
  findText: 'Typ het adres waarmee u hebt gekocht. Wij sturen daar een link naartoe.',
  findField: 'E-mailadres',
  findSend: 'Stuur mij de link',
  findSent: 'Als er met dit adres iets is gekocht, is er een link onderweg.',

  confirm: 'Bevestig uw nieuwe adres',
  confirmText: 'De winkel mailt dan naar dit adres en niet meer naar het vorige.',
  confirmYes: 'Adres bevestigen',
  confirmed: 'Uw adres is gewijzigd',
  confirmedText: (shop, email) => `${shop} mailt nu naar ${email}.`,
  addressOverText:
    'Hij werkt één dag, en alleen de nieuwste werkt. Vraag de wijziging opnieuw aan op uw pagina.',

  gone: 'Deze link werkt niet',
  goneText:
    'De link is onbekend of onvolledig. Open hem opnieuw waar u hem kreeg, of vraag de winkel om een nieuwe.',
  linkOver: 'Deze link is verlopen',
  linkOverText: 'Een link van de winkel werkt tien minuten. Vraag de winkel om een nieuwe.',
  mailOverText:
    'Een link in een e-mail werkt zeven dagen. Wij kunnen een nieuwe naar hetzelfde adres sturen.',
  mailAgain: 'Stuur mij een nieuwe link',
  mailed: 'Een nieuwe link is onderweg naar u.',
  expired: 'Deze pagina is verlopen',
  expiredText:
    'Voor uw veiligheid werkt ze een half uur. Open de link in de e-mail opnieuw, of vraag de winkel om een nieuwe.',
  unreachableText: 'Controleer uw verbinding.',
};
