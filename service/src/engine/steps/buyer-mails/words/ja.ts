import type { BuyerWords } from './en.ts';

export const ja: BuyerWords = {
  testMode: 'テストモード：実際のお金は動きません。',
  sandbox: 'サンドボックス：実際のお金は動きません。',
  questions: (email) => `お問い合わせ：${email}`,
  askTheShop: 'ご不明な点はショップにお問い合わせください。',
  fact: (name, value) => `${name}：${value}`,
  cardName: (brand, lastFour) => `末尾 ${lastFour} の ${brand}`,

  receiptSubject: (number, shop) => `${shop} の領収書 ${number}`,
  receiptHead: (number, day, shop) => `${shop} の領収書 ${number}（${day}）`,
  receiptCopiedSubject: (number, shop) => `${shop} の領収書 ${number} が別の宛先に送信されました`,
  receiptCopied: (number, shop, to) =>
    `${shop} は領収書 ${number} を ${to} に送信しました。お心当たりがない場合は、お店にお知らせください。`,
  discount: '割引',
  paid: 'お支払い額',
  refunded: '返金額',
  paidWith: 'お支払い方法',
  toReadAndPrint: 'こちらから表示と印刷ができます：',

  refundSubject: (shop) => `${shop} からの返金について`,

  refundFailedSubject: (shop) => `${shop} からの返金を完了できませんでした`,
  refundFailed: (sum) => `お支払いに使われたカードまたは口座へ ${sum} を返金できませんでした。`,
  getInTouch: (shop) => `別の方法で返金を受け取るには、${shop} にご連絡ください。`,

  renewalFailedSubject: (shop) => `${shop} へのお支払いが承認されませんでした`,
  renewalFailed: (sum, product) =>
    `${product} の ${sum} を請求できませんでした。数日のうちにもう一度試みます。`,

  cardExpiresSubject: (shop) => `${shop} でお使いのカードの有効期限が近づいています`,
  cardExpires: (card, month, shop) =>
    `${card} の有効期限は ${month} の月末です。このカードは ${shop} の定期購入のお支払いに使われています。`,

  manage: 'お支払いと定期購入の確認はこちら:',

  endPlannedSubject: (shop) => `${shop} の定期購入が終了予定です`,
  endPlanned: (product, day) =>
    `${product} は${day}まで続き、その後終了します。今後は請求されません。`,
  resumedSubject: (shop) => `${shop} の定期購入は継続します`,
  resumed: (product, day) => `${product} は継続します。更新日: ${day}`,
  endedSubject: (shop) => `${shop} の定期購入が終了しました`,
  ended: (product) => `${product} は終了しました。今後は請求されません。`,

  pageLinkSubject: (shop) => `${shop} でのご購入へのリンク`,
  lookAtPurchases: '定期購入、お支払い、カードの確認はこちら:',
  lookAtCard: 'カードの確認と別のカードの保存はこちら：',
  linkWorks: 'リンクは 7 日間使えます。',

  confirmAddressSubject: (shop) => `${shop}での新しいメールアドレスの確認`,
  confirmAddress: (shop) =>
    `${shop}からのメールをこのアドレスにお届けします。次のページで確認してください:`,
  confirmWorks:
    'リンクは1日間有効です。お心当たりがない場合は、このメールを無視してください。何も変更されません。',
  addressChangedSubject: (shop) => `${shop}でのメールアドレスが変更されました`,
  addressChanged: (shop, to) =>
    `${shop}からのメールは今後${to}に送られ、このアドレスには送られません。`,
  addressNotYou: (shop) => `お心当たりがない場合は、すぐに${shop}にご連絡ください。`,

  receipt: (number) => `領収書 ${number}`,
  refundReceipt: (number) => `返金の領収書 ${number}`,
  whatWasBought: 'ご購入内容',
  item: '商品',
  quantity: '数量',
  sum: '金額',
  paidOn: 'お支払い日',
  refundedOn: '返金日',
  refundedSince: 'その後の返金額',
  issuedOn: '発行日',
  referenceName: '照会番号',
  taxNumberName: '税務番号',
  questionsName: 'お問い合わせ',
  noReceipt: '領収書がありません',
  noReceiptTitle: 'このアドレスに領収書はありません',
  noReceiptText:
    'アドレス全体がコピーされているかご確認いただくか、ショップにもう一度お尋ねください。',
};
