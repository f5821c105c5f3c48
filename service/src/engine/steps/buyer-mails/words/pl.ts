import type { BuyerWords } from './en.ts';

export const pl: BuyerWords = {
  testMode: 'Tryb testowy: to nie są prawdziwe pieniądze.',
  sandbox: 'Sandbox: to nie są prawdziwe pieniądze.',
  questions: (email) => `Pytania: ${email}`,
  askTheShop: 'Pytania? Skontaktuj się ze sklepem.',
  fact: (name, value) => `${name}: ${value}`,
  cardName: (brand, lastFour) => `${brand} z końcówką ${lastFour}`,

  receiptSubject: (number, shop) => `Potwierdzenie ${number} od ${shop}`,
  receiptHead: (number, day, shop) => `Potwierdzenie ${number} z ${day}, od ${shop}`,
  receiptCopiedSubject: (number, shop) =>
    `Potwierdzenie ${number} od ${shop} wysłano na inny adres`,
  receiptCopied: (number, shop, to) =>
    `${shop} – potwierdzenie ${number} wysłano na adres ${to}. Jeśli nie było to na Państwa prośbę, prosimy o kontakt ze sklepem.`,
  discount: 'Rabat',
  paid: 'Zapłacono',
  refunded: 'Zwrócono',
  paidWith: 'Zapłacono przez',
  toReadAndPrint: 'Do przeczytania i wydruku:',

  refundSubject: (shop) => `Zwrot od ${shop}`,

  refundFailedSubject: (shop) => `Zwrot od ${shop} nie powiódł się`,
  refundFailed: (sum) => `Nie udało się zwrócić ${sum} na kartę lub konto, z którego zapłacono.`,
  getInTouch: (shop) => `Skontaktuj się z ${shop}, aby otrzymać pieniądze w inny sposób.`,

  renewalFailedSubject: (shop) => `Płatność dla ${shop} została odrzucona`,
  renewalFailed: (sum, product) =>
    `Nie udało się pobrać ${sum} za ${product}. Kolejna próba nastąpi w najbliższych dniach.`,

  cardExpiresSubject: (shop) => `Twoja karta w ${shop} traci ważność`,
  cardExpires: (card, month, shop) =>
    `${card} traci ważność z końcem ${month}. Opłacana jest nią subskrypcja w ${shop}.`,

  manage: 'Twoje płatności i subskrypcje:',

  endPlannedSubject: (shop) => `Twoja subskrypcja w ${shop} dobiega końca`,
  endPlanned: (product, day) =>
    `${product} potrwa do ${day}, a potem się skończy. Nic więcej nie zostanie pobrane.`,
  resumedSubject: (shop) => `Twoja subskrypcja w ${shop} trwa dalej`,
  resumed: (product, day) => `${product} trwa dalej. Odnowienie: ${day}.`,
  endedSubject: (shop) => `Twoja subskrypcja w ${shop} się zakończyła`,
  ended: (product) => `${product}: subskrypcja zakończona. Nic więcej nie zostanie pobrane.`,

  pageLinkSubject: (shop) => `Link do Twoich zakupów w ${shop}`,
  lookAtPurchases: 'Twoje subskrypcje, płatności i karty:',
  lookAtCard: 'Tu zobaczysz swoją kartę i zapiszesz inną:',
  linkWorks: 'Link działa przez siedem dni.',

  confirmAddressSubject: (shop) => `Potwierdź swój nowy adres w ${shop}`,
  confirmAddress: (shop) =>
    `Wiadomości od ${shop} mają przychodzić na ten adres. Potwierdź to na tej stronie:`,
  confirmWorks:
    'Link działa przez jeden dzień. Jeśli to nie była Twoja prośba, zignoruj tę wiadomość: nic się wtedy nie zmieni.',
  addressChangedSubject: (shop) => `Twój adres w ${shop} został zmieniony`,
  addressChanged: (shop, to) =>
    `Wiadomości od ${shop} przychodzą teraz na ${to}, a nie na ten adres.`,
  addressNotYou: (shop) => `Jeśli to nie Ty, od razu powiadom ${shop}.`,

  receipt: (number) => `Potwierdzenie ${number}`,
  refundReceipt: (number) => `Potwierdzenie zwrotu ${number}`,
  whatWasBought: 'Co kupiono',
  item: 'Produkt',
  quantity: 'Ilość',
  sum: 'Kwota',
  paidOn: 'Data zapłaty',
  refundedOn: 'Data zwrotu',
  refundedSince: 'Zwrócono od tego czasu',
  issuedOn: 'Data wystawienia',
  referenceName: 'Numer referencyjny',
  taxNumberName: 'Numer podatkowy',
  questionsName: 'Pytania',
  noReceipt: 'Brak potwierdzenia',
  noReceiptTitle: 'Pod tym adresem nie ma potwierdzenia',
  noReceiptText: 'Sprawdź, czy skopiowano cały adres, albo poproś o niego sklep jeszcze raz.',
};
