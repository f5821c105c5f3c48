import type { Texts } from './en.ts';

export const ja: Texts = {
  title: 'お支払い',
  backTo: (place) => `${place} に戻る`,
  back: 'ショップに戻る',
  questions: 'お問い合わせ：',
  termsOf: (merchant) => `${merchant} の販売条件`,
  sandbox: 'テスト環境',
  testMode: 'テストモード',
  sandboxHint: '実際の請求はありません。テストカード：4242\u00a04242\u00a04242\u00a04242',
  summary: 'ご注文内容',
  showAll: (count) => `${count} 点すべてを表示`,
  quantity: (count) => `${count} 点`,
  total: '合計',
  subtotal: '小計',
  discount: '割引',
  toPay: 'お支払い額',
  toHold: '仮売上額',
  cardTitle: 'カード情報',
  cardFrame: 'カード番号、有効期限、セキュリティコード',
  receiptFor: (email) => `${email} としてお支払い`,
  pay: (amount) => `${amount} を支払う`,
  authorise: (amount) => `${amount} を仮押さえする`,
  holdLine: '今は請求されません。金額は仮押さえされ、後でショップが請求します。',
  safe: 'カード番号は決済事業者のフォームにのみ送られ、ショップには渡りません。',
  paying: 'お支払い処理中…',
  authorising: '仮押さえ中…',
  payingHint: 'このページを開いたままお待ちください。',
  loading: 'お支払い情報を読み込んでいます',

  payWith: 'お支払い方法',
  anyBrand: 'カード',
  savedCard: (brand, lastFour) => `末尾 ${lastFour} の ${brand}`,
  otherCard: '別のカード',
  cardExpires: (date) => `有効期限 ${date}`,
  cardExpired: (date) => `期限切れ ${date}`,
  cardDeclined: '拒否されました',
  keepCard: 'このショップでの次回以降のお支払いのためにこのカードを保存する',
  repeats: {
    day: (amount) => `以後 毎日 ${amount}`,
    week: (amount) => `以後 毎週 ${amount}`,
    month: (amount) => `以後 毎月 ${amount}`,
    year: (amount) => `以後 毎年 ${amount}`,
  },
  keepLine: 'お支払い方法は保存され、定期購入が解約されるまで更新のたびに請求されます。',
  cancelOnPage: '解約はご購入内容のページでお手続きいただけます。',
  cancelByShop: '解約はショップにお申し出ください。',

  redirecting: '銀行のページに移動します',
  redirectingWallet: 'ウォレットに移動します',
  challenge: '銀行での確認が必要です',
  challengeElsewhere:
    '銀行が開いた画面で確認を完了してください。完了後、このページは自動的に進みます。',
  challengeStop: '別の方法で支払う',

  confirming: '銀行で確認してください',
  confirmingWait: '銀行に接続しています…',
  confirmingFrame: '銀行の確認ページ',
  confirmingTrouble: '銀行のページが表示されませんか？',
  confirmingHere: 'このウィンドウで開く',
  cancel: 'キャンセル',
  stopTitle: '確認をやめますか？',
  stopText: '請求は発生せず、別の方法で支払えます。',
  stopYes: 'やめる',
  stopNo: '続ける',

  wallet: 'ウォレットでの承認が必要です',
  walletText: 'ウォレットでこのお支払いを承認してください。承認前に請求されることはありません。',
  walletOpen: 'ウォレットで続ける',
  walletStop: 'カードで支払う',
  walletPay: 'ウォレットで支払う',
  orCard: 'またはカードで',

  couponOpen: '割引コードを入力する',
  couponLabel: '割引コード',
  couponApply: '適用',
  couponRemove: (code) => `コード ${code} を削除`,
  couponApplied: (total) => `コードを適用しました。新しい合計：${total}`,
  couponRemoved: (total) => `コードを削除しました。新しい合計：${total}`,
  coupons: {
    coupon_unknown: 'このコードは存在しません。入力内容をご確認ください。',
    coupon_inactive: 'このコードは現在ご利用いただけません。',
    coupon_not_started: 'このコードはまだ有効ではありません。',
    coupon_ended: 'このコードの有効期限は切れています。',
    coupon_exhausted: 'このコードは利用回数の上限に達しています。',
    coupon_currency_differs: 'このコードはご注文の通貨では使えません。',
    coupon_repeated: 'このコードはすでに適用されています。',
    coupon_without_effect: 'このコードはご注文の商品には使えません。',
    rate_limited: '試行回数が多すぎます。1分ほどお待ちください。',
    checkout_attempt_in_progress: 'お支払いの処理中です。終わってからコードを変更できます。',
  },
  couponOther: 'このコードはこのご注文には使えません。',

  payPlain: '支払う',
  cartComing: 'ご注文内容を待っています',
  cartComingText:
    'ショップがご注文を準備しています。金額はまもなくここに表示され、それまで請求は発生しません。',

  setupLine:
    '今は請求されません。今後のご注文について、ショップがこのカードに請求することがあります。',
  saved: 'カードを保存しました',
  savedText: '銀行がカードを確認しました。請求は発生していません。',
  setup: {
    title: 'カードを保存',
    loading: 'カードのフォームを読み込んでいます',
    cardTitle: 'カードを保存',
    receiptFor: (email) => `${email} のカードとして保存されます`,
    payPlain: 'カードを保存',
    paying: '保存しています…',
    challengeStop: '別のカードを使う',
    stopText: 'お支払い方法は保存されず、別のカードを使えます。',
    checking: 'カードを確認しています',
    checkingText: '少し時間がかかることがあります。結果はここに表示されます。',
    expired: 'このリンクは期限切れです',
    expiredText: 'お支払い方法は保存されていません。ショップに戻ってやり直してください。',
    canceled: '取り消されました',
    canceledText: 'お支払い方法は保存されていません。',
    declineOther: '銀行がカードを拒否しました。',
    problemTitle: 'お支払い方法は保存されませんでした',
  },

  checking: 'お支払いを確認しています',
  checkingText:
    '少し時間がかかることがあります。もう一度支払わないでください。結果はここに表示されます。',
  checkingLong:
    '通常より時間がかかっています。このページは閉じても構いません。結果はショップに通知されます。',
  checkingOffline: '接続が切れています。回復次第、確認を続けます。',

  succeeded: 'お支払いが完了しました',
  succeededText: (amount) => `${amount} をお支払いいただきました。ありがとうございます。`,
  complete: '注文を確定する',
  completing: '確定しています…',
  freeLine: 'お支払いはありません。カードは不要です。',
  ordered: '注文が確定しました',
  orderedText: 'お支払いはなく、請求もされていません。ありがとうございます。',
  authorized: '仮押さえが完了しました',
  authorizedText: (amount) => `カードに ${amount} が仮押さえされました。まだ請求されていません。`,
  authorizedUntil: (date) => `ショップは ${date} まで請求できます。その後、仮押さえは終了します。`,
  authorizedBefore: (amount, date) =>
    `${date}に、カードに ${amount} が仮押さえされました。その後の状況はショップにお問い合わせください。`,
  continueTo: (place) => `${place} へ進む`,
  continue: 'ショップへ進む',
  returning: 'ショップに戻ります…',
  reference: 'お支払い番号',

  expired: 'このお支払いリンクは期限切れです',
  expiredText: '請求は発生していません。ショップに戻り、もう一度お支払いを始めてください。',
  canceled: 'このお支払いはキャンセルされました',
  canceledText: '請求は発生していません。',
  returned: 'このページは閉じてかまいません',
  returnedText: '続きは、手続きを始めたウィンドウに表示されます。結果はショップにも届きます。',
  notFound: 'このお支払いリンクは使えません',
  notFoundText: 'リンクが不完全か、別のタブのものです。ショップのリンクをもう一度開いてください。',
  unusable: 'このお支払いはここではできません',
  unusableText: 'ショップからの情報が不完全です。請求は発生していません。お戻りください。',
  unreachable: '決済サービスに接続できません',
  unreachableText: '接続を確認してください。',
  retry: 'もう一度試す',

  formTitle: 'カードフォームを読み込めませんでした',
  formProblems: {
    blocked_by_csp:
      'このページのセキュリティ規則がブロックしています。ショップにお知らせください。',
    blocked_by_extension_or_network:
      '拡張機能またはネットワークがブロックしている可能性があります。このページでブロックを無効にして、もう一度お試しください。',
    origin_not_allowed: 'ショップがこのアドレスを許可していません。ショップにお知らせください。',
    session_expired: 'フォームが長時間開かれたままでした。',
    version_mismatch: 'このページは古くなっています。',
  },

  declineTitle: 'カードが拒否されました',
  declines: {
    insufficient_funds: 'カードの残高が不足しています。',
    lost_card: '銀行がこのカードを受け付けません。',
    stolen_card: '銀行がこのカードを受け付けません。',
    expired_card: 'カードの有効期限が切れています。',
    incorrect_cvc: 'セキュリティコードが正しくありません。',
    invalid_cvc: 'セキュリティコードが正しくありません。',
    incorrect_number: 'カード番号が正しくありません。',
    invalid_number: 'カード番号が正しくありません。',
    invalid_expiry_month: '有効期限が正しくありません。',
    invalid_expiry_year: '有効期限が正しくありません。',
    processing_error: '銀行が処理できませんでした。',
    authentication_required: '銀行がお支払いの確認を求めています。',
    authentication_failed: '銀行が本人確認を完了できませんでした。',
    card_not_supported: 'このカードではこのお支払いができません。',
    currency_not_supported: 'このカードはこの通貨に対応していません。',
    card_velocity_exceeded: 'カードの限度に達しています。',
    do_not_honor: '銀行が理由を示さずに拒否しました。',
    generic_decline: '銀行が理由を示さずに拒否しました。',
  },
  declineOther: '銀行がお支払いを拒否しました。',
  advices: {
    try_again_later: '請求は発生していません。時間をおいて試すか、別のカードをお使いください。',
    confirm_card_data: '請求は発生していません。カード情報を確認して、もう一度お試しください。',
    do_not_try_again:
      '請求は発生していません。別のカードをお使いになるか、銀行にお問い合わせください。',
  },

  adviceOther: '請求は発生していません。もう一度試すか、別のカードをお使いください。',

  problemTitle: 'お支払いは行われませんでした',
  problems: {
    gateway_refused:
      '現在、このショップでは支払いを受け付けられません。請求は発生していません。ショップにお知らせください。',
    gateway_unavailable:
      'カードネットワークに接続できません。請求は発生していません。もう一度お試しください。',
    service_unavailable:
      '決済サービスが混み合っています。請求は発生していません。もう一度お試しください。',
    rate_limited:
      '試行回数が多すぎます。請求は発生していません。1 分待ってからもう一度お試しください。',
    session_locked:
      '試行回数が多すぎます。請求は発生していません。ここではこれ以上カードをお使いいただけません。ショップに戻ってやり直してください。',
    not_received:
      'お支払いが届きませんでした。請求は発生していません。もう一度お試しいただけます。',
    card_token_spent: 'カード情報をもう一度入力してください。請求は発生していません。',
    form_unavailable:
      'カードフォームに応答がありませんでした。請求は発生していません。もう一度お試しください。',
    form_refused:
      'このページのカードフォームではカードを受け付けられません。請求は発生していません。ショップにお知らせください。',
    wallet_declined:
      'ウォレットが支払いを拒否しました。請求は発生していません。もう一度試すか、カードでお支払いください。',
    amount_not_supported:
      'この金額はここではカードでお支払いいただけません。請求は発生していません。ショップでご注文を変更してください。',
    capture_method_not_supported:
      'このご注文にはウォレットをご利用いただけません。請求は発生していません。カードでお支払いください。',
    challenge_canceled:
      '確認がキャンセルされました。請求は発生していません。もう一度お試しいただけます。',
    challenge_abandoned:
      '時間内に確認されませんでした。請求は発生していません。もう一度お試しいただけます。',
    buyer_not_verified:
      'カードを保存するには、ショップがご本人を確認している必要があります。請求は発生していません。ショップにログインしてやり直してください。',
    payment_method_not_found:
      'このカードはもう保存されていません。請求は発生していません。別のカードを選んでください。',
    buyer_mismatch: 'このお支払いは別の方のものです。請求は発生していません。',
    checkout_session_total_changed:
      'ご注文の合計金額が変わりました。請求は行われていません。金額を確認してから、お支払いください。',
    coupon_exhausted:
      'ご注文の割引コードは利用上限に達しました。請求は発生していません。コードを削除してからお支払いください。',
    coupon_inactive:
      'ご注文の割引コードは無効になりました。請求はされていません。コードを外してからお支払いください。',
    subscription_exists:
      'この定期購入はすでにお持ちか、別のお支払いが進行中です。請求はされていません。詳しくはショップにお問い合わせください。',
    checkout_session_claim_pending:
      'ショップのご注文の準備がまだ終わっていません。請求は発生していません。少し待ってからもう一度お試しいただくか、ショップにお戻りください。',
  },
  waitText: (time) =>
    `試行回数が多すぎます。請求は発生していません。${time}後にもう一度お試しいただけます。`,
  problemOther: '要求の一部が拒否されました。請求は発生していません。',
  problemReference: (code) => `コード：${code}`,
};
