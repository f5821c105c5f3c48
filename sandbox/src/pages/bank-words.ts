// The texts of the bank's page, in the languages of the checkout page. The wallet's page uses some of them
// too.

export type BankWords = {
  readonly payment: (amount: string) => string;
  readonly card: string;
  readonly about: string;
  readonly approve: string;
  readonly fail: string;
  readonly cancel: string;
  readonly timeOut: string;
  readonly answered: string;
  readonly answeredText: string;
};

const en: BankWords = {
  payment: (amount) => `Confirm your payment of ${amount}`,
  card: 'Confirm your card',
  about:
    'This page stands for your bank. Nothing real happens here: choose what the bank should answer.',
  approve: 'Approve',
  fail: 'Fail',
  cancel: 'Cancel',
  timeOut: 'Time out',
  answered: 'Already answered',
  answeredText: 'This payment waits for no answer.',
};

const ar: BankWords = {
  payment: (amount) => `أكّد دفعتك البالغة ${amount}`,
  card: 'أكّد بطاقتك',
  about: 'تقوم هذه الصفحة مقام مصرفك. لا شيء هنا حقيقي: اختر ما ينبغي أن يجيب به المصرف.',
  approve: 'موافقة',
  fail: 'فشل',
  cancel: 'إلغاء',
  timeOut: 'انتهاء المهلة',
  answered: 'تمت الإجابة من قبل',
  answeredText: 'لا تنتظر هذه الدفعة أي إجابة.',
};

const de: BankWords = {
  payment: (amount) => `Bestätigen Sie Ihre Zahlung von ${amount}`,
  card: 'Bestätigen Sie Ihre Karte',
  about:
    'Diese Seite steht für Ihre Bank. Hier geschieht nichts wirklich: Wählen Sie, was die Bank antworten soll.',
  approve: 'Freigeben',
  fail: 'Fehlschlagen lassen',
  cancel: 'Abbrechen',
  timeOut: 'Zeit ablaufen lassen',
  answered: 'Schon beantwortet',
  answeredText: 'Diese Zahlung wartet auf keine Antwort.',
};

const es: BankWords = {
  payment: (amount) => `Confirme su pago de ${amount}`,
  card: 'Confirme su tarjeta',
  about:
    'Esta página hace las veces de su banco. Aquí nada es real: elija qué debe responder el banco.',
  approve: 'Aprobar',
  fail: 'Fallar',
  cancel: 'Cancelar',
  timeOut: 'Dejar que caduque',
  answered: 'Ya se respondió',
  answeredText: 'Este pago no espera ninguna respuesta.',
};

const fr: BankWords = {
  payment: (amount) => `Confirmez votre paiement de ${amount}`,
  card: 'Confirmez votre carte',
  about:
    'Cette page tient lieu de votre banque. Rien n’est réel ici : choisissez ce que la banque doit répondre.',
  approve: 'Approuver',
  fail: 'Faire échouer',
  cancel: 'Annuler',
  timeOut: 'Laisser expirer',
  answered: 'Déjà répondu',
  answeredText: 'Ce paiement n’attend aucune réponse.',
};

const it: BankWords = {
  payment: (amount) => `Conferma il tuo pagamento di ${amount}`,
  card: 'Conferma la tua carta',
  about:
    'Questa pagina fa le veci della tua banca. Qui nulla è reale: scegli che cosa deve rispondere la banca.',
  approve: 'Approva',
  fail: 'Fai fallire',
  cancel: 'Annulla',
  timeOut: 'Lascia scadere',
  answered: 'Già risposto',
  answeredText: 'Questo pagamento non attende alcuna risposta.',
};

const ja: BankWords = {
  payment: (amount) => `${amount} のお支払いを確認してください`,
  card: 'カードを確認してください',
  about:
    'このページは銀行の代わりです。実際には何も起こりません。銀行がどう答えるかを選んでください。',
  approve: '承認',
  fail: '失敗',
  cancel: 'キャンセル',
  timeOut: '時間切れ',
  answered: '回答済みです',
  answeredText: 'このお支払いは回答を待っていません。',
};

const nl: BankWords = {
  payment: (amount) => `Bevestig uw betaling van ${amount}`,
  card: 'Bevestig uw kaart',
  about:
    'Deze pagina staat voor uw bank. Hier gebeurt niets echts: kies wat de bank moet antwoorden.',
  approve: 'Goedkeuren',
  fail: 'Laten mislukken',
  cancel: 'Annuleren',
  timeOut: 'Laten verlopen',
  answered: 'Al beantwoord',
  answeredText: 'Deze betaling wacht op geen antwoord.',
};

const pl: BankWords = {
  payment: (amount) => `Potwierdź płatność ${amount}`,
  card: 'Potwierdź kartę',
  about:
    'Ta strona zastępuje Twój bank. Nic nie dzieje się tu naprawdę: wybierz, co bank ma odpowiedzieć.',
  approve: 'Zatwierdź',
  fail: 'Niepowodzenie',
  cancel: 'Anuluj',
  timeOut: 'Przekrocz czas',
  answered: 'Już udzielono odpowiedzi',
  answeredText: 'Ta płatność nie czeka na odpowiedź.',
};

const pt: BankWords = {
  payment: (amount) => `Confirme o seu pagamento de ${amount}`,
  card: 'Confirme o seu cartão',
  about:
    'Esta página faz as vezes do seu banco. Nada aqui é real: escolha o que o banco deve responder.',
  approve: 'Aprovar',
  fail: 'Falhar',
  cancel: 'Cancelar',
  timeOut: 'Deixar expirar',
  answered: 'Já respondido',
  answeredText: 'Este pagamento não espera nenhuma resposta.',
};

const languages = { ar, de, en, es, fr, it, ja, nl, pl, pt } as const;

export type LanguageCode = keyof typeof languages;

const isKnown = (code: string): code is LanguageCode => Object.hasOwn(languages, code);

export type BankLanguage = {
  readonly code: LanguageCode;
  /** A BCP 47 tag with the browser's region, for the format of amounts. */
  readonly locale: string;
  readonly words: BankWords;
};

/** Returns the first language of an `Accept-Language` header that has texts. */
export function languageOf(header: string | undefined): BankLanguage {
  for (const tag of (header ?? '').split(',')) {
    const [, named = '', region] = /^\s*([a-z]{2})(?:-([a-z]{2}))?\s*(?:;|$)/i.exec(tag) ?? [];
    const code = named.toLowerCase();
    if (!isKnown(code)) continue;
    return { code, locale: region ? `${code}-${region}` : code, words: languages[code] };
  }
  return { code: 'en', locale: 'en', words: en };
}
