import type { Texts } from './en.ts';

export const texts: Texts = {
  title: 'Kart numarası, son kullanma tarihi ve güvenlik kodu',
  confirming: 'Bankanızda onaylayın',
  wait: 'Bankanıza bağlanılıyor…',
  frame: 'Bankanızın onay sayfası',
  trouble: 'Bankanızın sayfası görünmüyor mu?',
  open: 'Yeni pencerede aç',
  elsewhere: 'Bankanız yeni bir pencerede açılır. Ardından bu sayfa kendiliğinden devam eder.',
  checking: 'Kartınız kontrol ediliyor…',
  cancel: 'İptal',
  stopTitle: 'Onay durdurulsun mu?',
  stopText: 'O zaman kart kaydedilmez.',
  stopYes: 'Durdur',
  stopNo: 'Devam et',
  declined: 'Bankanız bu kartı reddetti. Kart kaydedilmedi.',
  notConfirmed: 'Bankanız siz olduğunuzu doğrulayamadı. Kart kaydedilmedi.',
  reload: 'Bu sayfanın bir bölümü yüklenemedi. Sayfayı yenileyip tekrar deneyin.',
  paying: {
    stopText: 'O zaman hiçbir tutar çekilmez.',
    declined: 'Bankanız ödemeyi reddetti. Hiçbir tutar çekilmedi.',
    notConfirmed: 'Bankanız siz olduğunuzu doğrulayamadı. Hiçbir tutar çekilmedi.',
  },
};
