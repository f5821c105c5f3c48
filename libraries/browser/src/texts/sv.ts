import type { Texts } from './en.ts';

export const texts: Texts = {
  title: 'Kortnummer, utgångsdatum och säkerhetskod',
  confirming: 'Bekräfta hos din bank',
  wait: 'Ansluter till din bank…',
  frame: 'Bekräftelsesida hos din bank',
  trouble: 'Visas inte bankens sida?',
  open: 'Öppna den i ett nytt fönster',
  elsewhere: 'Din bank öppnas i ett nytt fönster. Därefter fortsätter den här sidan av sig själv.',
  checking: 'Kontrollerar ditt kort…',
  cancel: 'Avbryt',
  stopTitle: 'Avbryta bekräftelsen?',
  stopText: 'Kortet sparas då inte.',
  stopYes: 'Ja, avbryt',
  stopNo: 'Fortsätt',
  declined: 'Din bank nekade kortet. Det sparades inte.',
  notConfirmed: 'Din bank kunde inte bekräfta att det är du. Kortet sparades inte.',
  reload: 'En del av sidan kunde inte läsas in. Läs in sidan på nytt och försök igen.',
  paying: {
    stopText: 'Då dras inga pengar.',
    declined: 'Din bank nekade betalningen. Inga pengar har dragits.',
    notConfirmed: 'Din bank kunde inte bekräfta att det är du. Inga pengar har dragits.',
  },
};
