import type { Texts } from './en.ts';

export const texts: Texts = {
  title: '卡号、有效期和安全码',
  confirming: '请在银行确认',
  wait: '正在连接您的银行…',
  frame: '您银行的确认页面',
  trouble: '银行页面没有显示？',
  open: '在新窗口中打开',
  elsewhere: '您的银行将在新窗口中打开。完成后此页面会自动继续。',
  checking: '正在检查您的卡…',
  cancel: '取消',
  stopTitle: '要停止确认吗？',
  stopText: '停止后将不会保存此卡。',
  stopYes: '停止',
  stopNo: '继续',
  declined: '您的银行拒绝了此卡。卡未保存。',
  notConfirmed: '您的银行无法确认是您本人。卡未保存。',
  reload: '此页面的一部分无法加载。请刷新页面后重试。',
  paying: {
    stopText: '停止后将不会扣款。',
    declined: '您的银行拒绝了此次付款。未扣款。',
    notConfirmed: '您的银行无法确认是您本人。未扣款。',
  },
};
