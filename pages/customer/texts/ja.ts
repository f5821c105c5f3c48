import type { CustomerTexts } from './en.ts';

export const ja: CustomerTexts = {
  title: '保存されたカード',
  titleWallets: '保存されたウォレット',
  at: (merchant) => `${merchant}`,
  signedAs: (email) => `${email}`,
  intro:
    'ショップはご注文の代金をこれらのカードに請求できます。カード番号がショップに渡ることはありません。',
  introWallets: 'ショップはご注文の代金をこれらのウォレットに請求できます。',
  loading: 'カードを読み込んでいます',
  empty: '保存されたカードはありません',
  emptyText: '追加すると、次のご注文で入力する必要がありません。',
  default: '既定',
  wallet: 'ウォレット',
  expiresSoon: (date) => `まもなく期限切れ: ${date}`,

  add: 'カードを追加',
  replace: '置き換える',
  replaceNote: (card) => `新しいカードが保存されると、${card} は削除されます。`,
  remove: '削除',
  removing: '削除しています…',
  leaving: '削除はまだ完了していません。',
  makeDefault: '既定にする',
  changing: '変更しています…',

  askTitle: (card) => `${card} を削除しますか？`,
  askText: 'ショップはこのカードに請求できなくなります。',
  askMoves: 'このカードで支払われている定期購入は、引き継げるカードがあればそちらに移ります。',
  askYes: 'カードを削除',
  askNo: '残しておく',

  added: 'カードを追加しました。',
  replaced: (card) => `新しいカードを追加し、${card} を削除しました。`,
  removed: (card) => `${card} を削除しました。`,
  defaultChanged: (card) => `${card} を既定にしました。`,

  titleAll: 'ご購入とカード',
  subscriptions: '定期購入',
  payments: 'お支払い',
  every: {
    day: (sum) => `毎日 ${sum}`,
    week: (sum) => `毎週 ${sum}`,
    month: (sum) => `毎月 ${sum}`,
    year: (sum) => `毎年 ${sum}`,
  },
  nextPaymentOn: (day) => `次回のお支払い: ${day}`,
  renewedOn: (day) => `更新日: ${day}`,
  triedAgainOn: (day) => `お支払いに失敗しました。${day}に再度請求されます。`,
  endsOn: (day) => `${day}に終了します。今後は請求されません。`,
  endedOn: (day) => `${day}に終了しました`,
  paidWith: (card) => `お支払い方法: ${card}`,
  end: '定期購入を解約',
  takeBack: '定期購入を続ける',
  endByShop: 'この定期購入の解約は、ショップにお申し出ください。',
  endTitle: (name) => `${name} を解約しますか？`,
  endText: (day) =>
    `${day}まで利用でき、今後は請求されません。それまではここで続けることもできます。`,
  endNowText: '前回のお支払いに失敗したため、すぐに終了します。今後は請求されません。',
  endYes: '解約する',
  endNo: '解約しない',
  ends: (name, day) => `${name} は${day}に終了します。`,
  hasEnded: (name) => `${name} は終了しました。`,
  goesOn: (name, day) => `${name} は継続します。次回のお支払い: ${day}`,
  endFailed: '定期購入は解約されませんでした',
  resumeFailed: '定期購入は継続されませんでした',
  receiptFailed: '領収書を開けませんでした',
  purchasesFailed: '定期購入とお支払いを読み込めませんでした',
  payment: 'お支払い',
  refund: '返金',
  states: {
    held: '確保済み（未請求）',
    processing: '処理中',
    paid: '支払い済み',
    partly_refunded: '一部返金済み',
    refunded: '返金済み',
  },
  receipt: '領収書',
  older: '以前のお支払いを表示',

  details: 'お客様の情報',
  name: 'お名前',
  noName: '未登録',
  language: '言語',
  languageOfBrowser: 'ブラウザーの言語',
  change: '変更',
  newEmail: '新しいメールアドレス',
  newEmailHint: (email) => `現在は ${email} です。変更しない場合は空欄にしてください。`,
  save: '保存',
  pending: (email) => `${email} に送ったメールからの確認を待っています。`,
  pendingDrop: '新しいアドレスを取り消す',
  detailsSaved: '情報を保存しました。',
  addressMailed:
    '新しいアドレスにメールをお送りしました。メールのリンク先のページで確認すると有効になります。',
  addressDropped: '新しいアドレスを取り消しました。',
  detailsFailed: '情報は保存されませんでした',
  detailsUnread: '情報を読み込めませんでした',
  emailWrong: 'メールアドレスではありません。',
  emailOften: '回数が多すぎます。1 時間後にもう一度お試しください。',

  removeFailed: 'カードは削除されませんでした',
  addFailed: 'カードのフォームを開けませんでした',
  defaultFailed: '既定は変更されませんでした',
  problems: {
    customer_page_limited:
      'お店のリンクではこの操作はできません。お店に依頼するか、別のリンクをお求めください。',
    payment_method_in_use:
      'このカードで定期購入が支払われており、引き継げるカードがほかにありません。先に別のカードを追加してから、このカードを削除してください。',
    payment_method_has_active_payment:
      'このカードでのお支払いがまだ終わっていません。終わってからもう一度お試しください。',
    payment_method_reassignment_requires_payer_action:
      'このウォレットで定期購入が支払われており、別の方法にはご本人の承認が必要です。ショップに支払い方法の変更を依頼してから、ウォレットを削除してください。',
    payment_method_not_found: 'このカードはもう保存されていません。',
    unusable: 'このカードは削除中か、現在使用できません。',
    retry_delete:
      '削除はまだ完了していません。完了するまでカードはこの一覧に残ります。少ししてからもう一度お試しください。',
    contact_support:
      '削除を完了できず、カードの状態が確認できません。もう一度試す前にショップにお問い合わせください。',
    update_funding_manually:
      'このカードでの支払いを別のカードに移せませんでした。ショップに支払い方法の変更を依頼してから、カードを削除してください。',
    gateway_refused:
      '現在、ショップはカードネットワークを利用できません。何も変更されていません。ショップにお知らせください。',
    gateway_unavailable:
      'カードネットワークに接続できません。何も変更されていません。もう一度お試しください。',
    gateway_outcome_unknown:
      '成功したかどうかまだわかりません。1 分後にこのページを再読み込みしてください。',
    subscription_ended: 'この定期購入はすでに終了しています。',
    subscription_end_by_merchant:
      'この定期購入はショップが終了しました。続けたい場合はショップにお問い合わせください。',
    customer_page_cancel_off: 'この定期購入の解約は、ショップにお申し出ください。',
    rate_limited: '試行回数が多すぎます。1 分ほどお待ちください。',
  },
  problemOther: '拒否されました。何も変更されていません。',

  find: 'ご購入内容',
  findText: 'ご購入時のメールアドレスを入力してください。リンクをお送りします。',
  findField: 'メールアドレス',
  findSend: 'リンクを送る',
  findSent: 'このアドレスでのご購入がある場合、リンクをお送りしました。',

  confirm: '新しいアドレスの確認',
  confirmText: '確認すると、ショップからのメールは以前のアドレスではなくこのアドレスに届きます。',
  confirmYes: 'アドレスを確認する',
  confirmed: 'アドレスを変更しました',
  confirmedText: (shop, email) => `${shop} からのメールは今後 ${email} に届きます。`,
  addressOverText:
    'リンクは 1 日間、最新のものだけが有効です。お客様のページでもう一度変更してください。',

  gone: 'このリンクは使えません',
  goneText:
    'リンクが不明か、途中で切れています。受け取った場所からもう一度開くか、ショップに新しいリンクを依頼してください。',
  linkOver: 'このリンクは期限切れです',
  linkOverText: 'ショップのリンクは 10 分間有効です。ショップに新しいリンクを依頼してください。',
  mailOverText: 'メールのリンクは 7 日間有効です。同じアドレスに新しいリンクを送れます。',
  mailAgain: '新しいリンクをメールで送る',
  mailed: '新しいリンクをお送りしました。',
  expired: 'このページは期限切れです',
  expiredText:
    '安全のため 30 分間だけ有効です。メールのリンクをもう一度開くか、ショップに新しいリンクを依頼してください。',
  unreachableText: '接続を確認してください。',
};
