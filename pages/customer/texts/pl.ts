import type { CustomerTexts } from './en.ts';

export const pl: CustomerTexts = {
  title: 'Twoje zapisane karty',
  titleWallets: 'Twoje zapisane portfele',
  at: (merchant) => `w ${merchant}`,
  signedAs: (email) => `Dla ${email}`,
  intro: 'Sklep może obciążać te karty za Twoje zamówienia. Ich numerów nigdy nie widzi.',
  introWallets: 'Sklep może obciążać te portfele za Twoje zamówienia.',
  loading: 'Ładowanie kart',
  empty: 'Brak zapisanych kart',
  emptyText: 'Dodaj kartę, a nie trzeba będzie jej wpisywać przy następnym zamówieniu.',
  default: 'Domyślna',
  wallet: 'Portfel',
  expiresSoon: (date) => `Wkrótce wygaśnie: ${date}`,

  add: 'Dodaj kartę',
  replace: 'Zastąp',
  replaceNote: (card) => `Po zapisaniu nowej karty zostanie usunięta: ${card}.`,
  remove: 'Usuń',
  removing: 'Usuwanie…',
  leaving: 'Usuwanie nie jest jeszcze zakończone.',
  makeDefault: 'Ustaw domyślną',
  changing: 'Zmienianie…',

  askTitle: (card) => `Usunąć kartę: ${card}?`,
  askText: 'Sklep nie będzie mógł jej już obciążać.',
  askMoves:
    'Subskrypcje, które są nią opłacane, przejdą na inną zapisaną kartę, jeśli któraś może ją zastąpić.',
  askYes: 'Usuń kartę',
  askNo: 'Zachowaj kartę',

  added: 'Karta została dodana.',
  replaced: (card) => `Nowa karta została dodana, a poprzednia usunięta: ${card}.`,
  removed: (card) => `Usunięto: ${card}.`,
  defaultChanged: (card) => `Karta domyślna to teraz: ${card}.`,

  titleAll: 'Twoje zakupy i karty',
  subscriptions: 'Subskrypcje',
  payments: 'Płatności',
  every: {
    day: (sum) => `${sum} codziennie`,
    week: (sum) => `${sum} co tydzień`,
    month: (sum) => `${sum} co miesiąc`,
    year: (sum) => `${sum} co rok`,
  },
  nextPaymentOn: (day) => `Następna płatność: ${day}`,
  renewedOn: (day) => `Odnowienie: ${day}`,
  triedAgainOn: (day) => `Płatność się nie powiodła. Następna próba: ${day}.`,
  endsOn: (day) => `Koniec: ${day}. Nic więcej nie zostanie pobrane.`,
  endedOn: (day) => `Zakończona: ${day}`,
  paidWith: (card) => `Płatność: ${card}`,
  end: 'Anuluj subskrypcję',
  takeBack: 'Kontynuuj subskrypcję',
  endByShop: 'Aby anulować tę subskrypcję, zwróć się do sklepu.',
  endTitle: (name) => `Anulować: ${name}?`,
  endText: (day) =>
    `Potrwa do: ${day}, i nic więcej nie zostanie pobrane. Do tego czasu można ją tutaj kontynuować.`,
  endNowText:
    'Ostatnia płatność się nie powiodła, więc skończy się od razu. Nic więcej nie zostanie pobrane.',
  endYes: 'Anuluj subskrypcję',
  endNo: 'Zachowaj subskrypcję',
  ends: (name, day) => `${name}: koniec ${day}.`,
  hasEnded: (name) => `Zakończono: ${name}.`,
  goesOn: (name, day) => `${name} trwa dalej. Następna płatność: ${day}.`,
  endFailed: 'Subskrypcja nie została anulowana',
  resumeFailed: 'Subskrypcja nie jest kontynuowana',
  receiptFailed: 'Nie udało się otworzyć potwierdzenia',
  purchasesFailed: 'Nie udało się wczytać subskrypcji i płatności',
  payment: 'Płatność',
  refund: 'Zwrot',
  states: {
    held: 'Zablokowano, jeszcze nie pobrano',
    processing: 'W toku',
    paid: 'Zapłacono',
    partly_refunded: 'Częściowo zwrócono',
    refunded: 'Zwrócono',
  },
  receipt: 'Potwierdzenie',
  older: 'Pokaż starsze płatności',

  details: 'Twoje dane',
  name: 'Imię i nazwisko',
  noName: 'Nie podano',
  language: 'Język',
  languageOfBrowser: 'Jak w przeglądarce',
  change: 'Zmień',
  newEmail: 'Nowy adres e-mail',
  newEmailHint: (email) => `Obecnie ${email}. Pozostaw puste, aby go zachować.`,
  save: 'Zapisz',
  pending: (email) => `Czeka na potwierdzenie z wiadomości wysłanej na ${email}.`,
  pendingDrop: 'Zrezygnuj z nowego adresu',
  detailsSaved: 'Twoje dane zapisano.',
  addressMailed:
    'Wiadomość jest w drodze na nowy adres. Adres będzie ważny, gdy potwierdzisz go na stronie, do której prowadzi wiadomość.',
  addressDropped: 'Zrezygnowano z nowego adresu.',
  detailsFailed: 'Twoich danych nie zapisano',
  detailsUnread: 'Nie udało się wczytać Twoich danych',
  emailWrong: 'To nie jest adres e-mail.',
  emailOften: 'Zbyt wiele próśb. Spróbuj ponownie za godzinę.',

  removeFailed: 'Karta nie została usunięta',
  addFailed: 'Nie udało się otworzyć formularza karty',
  defaultFailed: 'Karta domyślna nie została zmieniona',
  problems: {
    customer_page_limited:
      'Link od sklepu na to nie pozwala. Prosimy poprosić o to sklep albo o inny link.',
    payment_method_in_use:
      'Tą kartą opłacana jest subskrypcja, a żadna inna zapisana karta nie może jej zastąpić. Dodaj najpierw inną kartę, a potem usuń tę.',
    payment_method_has_active_payment:
      'Płatność tą kartą jeszcze się nie zakończyła. Poczekaj, aż się zakończy, i spróbuj ponownie.',
    payment_method_reassignment_requires_payer_action:
      'Tym portfelem opłacana jest subskrypcja i tylko Ty możesz zatwierdzić inny sposób. Poproś sklep o zmianę sposobu płatności, a potem usuń portfel.',
    payment_method_not_found: 'Ta karta nie jest już zapisana.',
    unusable: 'Ta karta jest właśnie usuwana albo nie można jej teraz użyć.',
    retry_delete:
      'Usuwania nie udało się jeszcze dokończyć. Do tego czasu karta pozostaje na liście; spróbuj ponownie za chwilę.',
    contact_support:
      'Usuwania nie udało się dokończyć i nie ma pewności, w jakim stanie jest karta. Zapytaj sklep, zanim spróbujesz ponownie.',
    update_funding_manually:
      'Tego, co jest opłacane tą kartą, nie udało się przenieść na inną. Poproś sklep o zmianę sposobu płatności, a potem usuń kartę.',
    gateway_refused:
      'Sklep nie ma w tej chwili dostępu do sieci kart. Nic nie zmieniono; prosimy powiadomić sklep.',
    gateway_unavailable:
      'Nie można połączyć się z siecią kart. Nic nie zmieniono; spróbuj ponownie.',
    gateway_outcome_unknown: 'Nie wiadomo jeszcze, czy się udało. Odśwież tę stronę za minutę.',
    subscription_ended: 'Subskrypcja już się zakończyła.',
    subscription_end_by_merchant:
      'Sklep zakończył tę subskrypcję. Zapytaj w sklepie, jeśli chcesz ją zachować.',
    customer_page_cancel_off: 'Aby anulować tę subskrypcję, zwróć się do sklepu.',
    rate_limited: 'Zbyt wiele prób. Poczekaj minutę.',
  },
  problemOther: 'Odmówiono. Nic nie zmieniono.',

  find: 'Twoje zakupy',
  findText: 'Wpisz adres użyty przy zakupie. Wyślemy na niego link.',
  findField: 'Adres e-mail',
  findSend: 'Wyślij mi link',
  findSent: 'Jeśli coś kupiono z tym adresem, link jest już w drodze.',

  confirm: 'Potwierdź swój nowy adres',
  confirmText: 'Sklep będzie wtedy pisać na ten adres, a nie na poprzedni.',
  confirmYes: 'Potwierdź adres',
  confirmed: 'Twój adres został zmieniony',
  confirmedText: (shop, email) => `${shop} pisze teraz na ${email}.`,
  addressOverText:
    'Działa jeden dzień i tylko najnowszy. Poproś o zmianę ponownie na swojej stronie.',

  gone: 'Ten link nie działa',
  goneText:
    'Link jest nieznany lub niepełny. Otwórz go ponownie tam, skąd go masz, lub poproś sklep o nowy.',
  linkOver: 'Ten link wygasł',
  linkOverText: 'Link od sklepu działa dziesięć minut. Poproś sklep o nowy.',
  mailOverText: 'Link z wiadomości działa siedem dni. Możemy wysłać nowy na ten sam adres.',
  mailAgain: 'Wyślij mi nowy link',
  mailed: 'Nowy link jest w drodze.',
  expired: 'Ta strona wygasła',
  expiredText:
    'Dla bezpieczeństwa działa pół godziny. Otwórz ponownie link z wiadomości lub poproś sklep o nowy.',
  unreachableText: 'Sprawdź połączenie.',
};
