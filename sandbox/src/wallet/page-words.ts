// The texts of the wallet's page that it does not share with the bank's, in the same languages.
import type { LanguageCode } from '../pages/bank-words.ts';
import type { Behaviour } from './objects.ts';

export type WalletWords = {
  readonly save: string;
  readonly about: string;
  readonly legend: string;
  readonly effects: Readonly<Record<Behaviour, string>>;
};

const en: WalletWords = {
  save: 'Save your wallet',
  about:
    'This page stands for your wallet. Nothing real happens here: choose what the wallet should do.',
  legend: 'The payment, once approved',
  effects: {
    completes: 'It completes',
    declined: 'It is declined, and the payer may choose another way',
    pends: 'It is pending for a while, then completes',
    denied: 'It is pending for a while, then denied',
    refund_pends: 'It completes; a refund of it is pending for a while',
    refund_fails: 'It completes; a refund of it fails later',
    saved_later: 'It completes; a wallet that is to be kept is kept a little later',
    not_saved: 'It completes; a wallet that is to be kept is not',
    declined_later: 'It completes; later charges of a kept wallet are declined',
    needs_payer: 'It completes; each later charge of a kept wallet asks its payer again',
  },
};

const ar: WalletWords = {
  save: 'احفظ محفظتك',
  about: 'تقوم هذه الصفحة مقام محفظتك. لا شيء هنا حقيقي: اختر ما ينبغي أن تفعله المحفظة.',
  legend: 'الدفعة بعد الموافقة عليها',
  effects: {
    completes: 'تكتمل',
    declined: 'تُرفض، وللدافع أن يختار طريقة أخرى',
    pends: 'تبقى معلّقة مدة، ثم تكتمل',
    denied: 'تبقى معلّقة مدة، ثم تُرفض',
    refund_pends: 'تكتمل؛ ويبقى ردّها معلّقًا مدة',
    refund_fails: 'تكتمل؛ ويفشل ردّها لاحقًا',
    saved_later: 'تكتمل؛ والمحفظة المراد حفظها تُحفظ بعد قليل',
    not_saved: 'تكتمل؛ والمحفظة المراد حفظها لا تُحفظ',
    declined_later: 'تكتمل؛ وتُرفض الدفعات اللاحقة من محفظة محفوظة',
    needs_payer: 'تكتمل؛ وكل دفعة لاحقة من محفظة محفوظة تسأل الدافع من جديد',
  },
};

const de: WalletWords = {
  save: 'Ihr Wallet speichern',
  about:
    'Diese Seite steht für Ihr Wallet. Hier geschieht nichts wirklich: Wählen Sie, was das Wallet tun soll.',
  legend: 'Die Zahlung nach der Freigabe',
  effects: {
    completes: 'Sie gelingt',
    declined: 'Sie wird abgelehnt; eine andere Zahlungsart kann gewählt werden',
    pends: 'Sie ist eine Weile in Bearbeitung und gelingt dann',
    denied: 'Sie ist eine Weile in Bearbeitung und wird dann abgelehnt',
    refund_pends: 'Sie gelingt; eine Erstattung ist eine Weile in Bearbeitung',
    refund_fails: 'Sie gelingt; eine Erstattung scheitert später',
    saved_later: 'Sie gelingt; ein Wallet, das gespeichert werden soll, wird es etwas später',
    not_saved: 'Sie gelingt; ein Wallet, das gespeichert werden soll, wird es nicht',
    declined_later: 'Sie gelingt; spätere Zahlungen eines gespeicherten Wallets werden abgelehnt',
    needs_payer: 'Sie gelingt; jede spätere Zahlung eines gespeicherten Wallets fragt neu',
  },
};

const es: WalletWords = {
  save: 'Guarde su monedero',
  about:
    'Esta página hace las veces de su monedero. Aquí nada es real: elija qué debe hacer el monedero.',
  legend: 'El pago, una vez aprobado',
  effects: {
    completes: 'Se completa',
    declined: 'Se rechaza, y se puede elegir otra forma de pago',
    pends: 'Queda pendiente un rato y luego se completa',
    denied: 'Queda pendiente un rato y luego se deniega',
    refund_pends: 'Se completa; un reembolso queda pendiente un rato',
    refund_fails: 'Se completa; un reembolso falla más tarde',
    saved_later: 'Se completa; un monedero que se ha de guardar se guarda un poco después',
    not_saved: 'Se completa; un monedero que se ha de guardar no se guarda',
    declined_later: 'Se completa; los cobros posteriores de un monedero guardado se rechazan',
    needs_payer: 'Se completa; cada cobro posterior de un monedero guardado vuelve a preguntar',
  },
};

const fr: WalletWords = {
  save: 'Enregistrez votre portefeuille',
  about:
    'Cette page tient lieu de votre portefeuille. Rien n’est réel ici : choisissez ce que le portefeuille doit faire.',
  legend: 'Le paiement, une fois approuvé',
  effects: {
    completes: 'Il aboutit',
    declined: 'Il est refusé, et un autre moyen peut être choisi',
    pends: 'Il reste en attente un moment, puis aboutit',
    denied: 'Il reste en attente un moment, puis est refusé',
    refund_pends: 'Il aboutit ; un remboursement reste en attente un moment',
    refund_fails: 'Il aboutit ; un remboursement échoue plus tard',
    saved_later: 'Il aboutit ; un portefeuille à enregistrer l’est un peu plus tard',
    not_saved: 'Il aboutit ; un portefeuille à enregistrer ne l’est pas',
    declined_later: 'Il aboutit ; les débits suivants d’un portefeuille enregistré sont refusés',
    needs_payer:
      'Il aboutit ; chaque débit suivant d’un portefeuille enregistré demande un nouvel accord',
  },
};

const it: WalletWords = {
  save: 'Salva il tuo portafoglio',
  about:
    'Questa pagina fa le veci del tuo portafoglio. Qui nulla è reale: scegli che cosa deve fare il portafoglio.',
  legend: 'Il pagamento, una volta approvato',
  effects: {
    completes: 'Va a buon fine',
    declined: 'Viene rifiutato, e si può scegliere un altro modo',
    pends: 'Resta in sospeso per un po’, poi va a buon fine',
    denied: 'Resta in sospeso per un po’, poi viene negato',
    refund_pends: 'Va a buon fine; un rimborso resta in sospeso per un po’',
    refund_fails: 'Va a buon fine; un rimborso fallisce più tardi',
    saved_later: 'Va a buon fine; un portafoglio da salvare viene salvato poco dopo',
    not_saved: 'Va a buon fine; un portafoglio da salvare non viene salvato',
    declined_later:
      'Va a buon fine; gli addebiti successivi di un portafoglio salvato vengono rifiutati',
    needs_payer:
      'Va a buon fine; ogni addebito successivo di un portafoglio salvato chiede di nuovo conferma',
  },
};

const ja: WalletWords = {
  save: 'ウォレットを保存してください',
  about:
    'このページはウォレットの代わりです。実際には何も起こりません。ウォレットがどう動くかを選んでください。',
  legend: '承認後のお支払い',
  effects: {
    completes: '完了する',
    declined: '拒否され、別の方法を選べる',
    pends: 'しばらく保留になり、その後完了する',
    denied: 'しばらく保留になり、その後拒否される',
    refund_pends: '完了する。返金はしばらく保留になる',
    refund_fails: '完了する。返金は後で失敗する',
    saved_later: '完了する。保存するウォレットは少し後で保存される',
    not_saved: '完了する。保存するウォレットは保存されない',
    declined_later: '完了する。保存したウォレットへの以後の請求は拒否される',
    needs_payer: '完了する。保存したウォレットへの以後の請求は毎回確認を求める',
  },
};

const nl: WalletWords = {
  save: 'Uw wallet bewaren',
  about:
    'Deze pagina staat voor uw wallet. Hier gebeurt niets echts: kies wat de wallet moet doen.',
  legend: 'De betaling, na goedkeuring',
  effects: {
    completes: 'Ze slaagt',
    declined: 'Ze wordt geweigerd, en een andere manier kan worden gekozen',
    pends: 'Ze is een tijdje in behandeling en slaagt dan',
    denied: 'Ze is een tijdje in behandeling en wordt dan geweigerd',
    refund_pends: 'Ze slaagt; een terugbetaling is een tijdje in behandeling',
    refund_fails: 'Ze slaagt; een terugbetaling mislukt later',
    saved_later: 'Ze slaagt; een wallet die bewaard moet worden, wordt dat iets later',
    not_saved: 'Ze slaagt; een wallet die bewaard moet worden, wordt dat niet',
    declined_later: 'Ze slaagt; latere betalingen met een bewaarde wallet worden geweigerd',
    needs_payer: 'Ze slaagt; elke latere betaling met een bewaarde wallet vraagt opnieuw',
  },
};

const pl: WalletWords = {
  save: 'Zapisz portfel',
  about:
    'Ta strona zastępuje Twój portfel. Nic nie dzieje się tu naprawdę: wybierz, co portfel ma zrobić.',
  legend: 'Płatność po zatwierdzeniu',
  effects: {
    completes: 'Udaje się',
    declined: 'Zostaje odrzucona i można wybrać inny sposób',
    pends: 'Przez chwilę oczekuje, potem się udaje',
    denied: 'Przez chwilę oczekuje, potem zostaje odrzucona',
    refund_pends: 'Udaje się; zwrot przez chwilę oczekuje',
    refund_fails: 'Udaje się; zwrot później się nie udaje',
    saved_later: 'Udaje się; portfel do zapisania zostaje zapisany nieco później',
    not_saved: 'Udaje się; portfel do zapisania nie zostaje zapisany',
    declined_later: 'Udaje się; kolejne obciążenia zapisanego portfela są odrzucane',
    needs_payer: 'Udaje się; każde kolejne obciążenie zapisanego portfela wymaga zgody',
  },
};

const pt: WalletWords = {
  save: 'Guarde a sua carteira',
  about:
    'Esta página faz as vezes da sua carteira. Nada aqui é real: escolha o que a carteira deve fazer.',
  legend: 'O pagamento, depois de aprovado',
  effects: {
    completes: 'É concluído',
    declined: 'É recusado, e pode ser escolhida outra forma',
    pends: 'Fica pendente algum tempo e depois é concluído',
    denied: 'Fica pendente algum tempo e depois é negado',
    refund_pends: 'É concluído; um reembolso fica pendente algum tempo',
    refund_fails: 'É concluído; um reembolso falha mais tarde',
    saved_later: 'É concluído; uma carteira a guardar é guardada um pouco depois',
    not_saved: 'É concluído; uma carteira a guardar não é guardada',
    declined_later: 'É concluído; as cobranças seguintes de uma carteira guardada são recusadas',
    needs_payer: 'É concluído; cada cobrança seguinte de uma carteira guardada pergunta de novo',
  },
};

export const walletWords: Readonly<Record<LanguageCode, WalletWords>> = {
  ar,
  de,
  en,
  es,
  fr,
  it,
  ja,
  nl,
  pl,
  pt,
};
