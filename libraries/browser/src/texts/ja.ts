import type { Texts } from './en.ts';

export const texts: Texts = {
  title: 'カード番号、有効期限、セキュリティコード',
  confirming: '銀行で確認してください',
  wait: '銀行に接続しています…',
  frame: '銀行の確認ページ',
  trouble: '銀行のページが表示されませんか？',
  open: '新しいウィンドウで開く',
  elsewhere: '銀行のページが新しいウィンドウで開きます。完了するとこのページは自動的に進みます。',
  checking: 'カードを確認しています…',
  cancel: 'キャンセル',
  stopTitle: '確認をやめますか？',
  stopText: 'やめるとカードは保存されません。',
  stopYes: 'やめる',
  stopNo: '続ける',
  declined: '銀行がこのカードを承認しませんでした。カードは保存されていません。',
  notConfirmed: '銀行がご本人であることを確認できませんでした。カードは保存されていません。',
  paying: {
    stopText: 'やめると請求は発生しません。',
    declined: '銀行がお支払いを承認しませんでした。請求は発生していません。',
    notConfirmed: '銀行がご本人であることを確認できませんでした。請求は発生していません。',
  },
};
