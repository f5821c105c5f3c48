import type { Texts } from './keys.ts';

export const japanese: Texts = {
  title: 'カード情報',
  loading: 'カードフォームを読み込んでいます',
  number: 'カード番号',
  expiry: '有効期限',
  expiryPlaceholder: '月 / 年',
  cvc: 'セキュリティコード',
  name: 'カード名義',
  postalCode: '郵便番号',
  cvcHint3: 'カード裏面の3桁の数字',
  cvcHint4: 'カード表面の4桁の数字',
  brandDetected: '{brand} カード',
  number_incomplete: 'カード番号をすべて入力してください。',
  number_invalid: 'カード番号に誤りがあります。ご確認ください。',
  expiry_incomplete: '有効期限の月と年を入力してください。',
  expiry_past: 'このカードは有効期限が切れています。別のカードをご利用ください。',
  cvc_incomplete: 'セキュリティコード({hint})を入力してください。',
  name_required: 'カードに記載されている名義を入力してください。',
  postal_code_required: '請求先住所の郵便番号を入力してください。',
  brand_unsupported: 'このブランドはご利用いただけません。別のカードをご利用ください。',
  session_expired: 'お支払いの有効期限が切れました。ページを再読み込みしてください。',
  rate_limited: '試行回数が多すぎます。しばらくしてからもう一度お試しください。',
  card_declined:
    'カードが承認されませんでした。別のカードを使うか、カード会社にお問い合わせください。',
  unavailable: 'カードサービスに接続できません。請求は行われていません。もう一度お試しください。',
};
