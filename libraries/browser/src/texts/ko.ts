import type { Texts } from './en.ts';

export const texts: Texts = {
  title: '카드 번호, 유효 기간, 보안 코드',
  confirming: '은행에서 확인해 주세요',
  wait: '은행에 연결하는 중…',
  frame: '은행 확인 페이지',
  trouble: '은행 페이지가 나타나지 않나요?',
  open: '새 창에서 열기',
  elsewhere: '은행이 새 창에서 열립니다. 완료되면 이 페이지가 자동으로 계속됩니다.',
  checking: '카드를 확인하는 중…',
  cancel: '취소',
  stopTitle: '확인을 중단할까요?',
  stopText: '중단하면 카드가 저장되지 않습니다.',
  stopYes: '중단',
  stopNo: '계속',
  declined: '은행에서 이 카드를 거절했습니다. 카드가 저장되지 않았습니다.',
  notConfirmed: '은행에서 본인임을 확인할 수 없었습니다. 카드가 저장되지 않았습니다.',
  reload: '이 페이지의 일부를 불러오지 못했습니다. 페이지를 새로고침한 후 다시 시도해 주세요.',
  paying: {
    stopText: '중단하면 결제되지 않습니다.',
    declined: '은행에서 결제를 거절했습니다. 결제되지 않았습니다.',
    notConfirmed: '은행에서 본인임을 확인할 수 없었습니다. 결제되지 않았습니다.',
  },
};
