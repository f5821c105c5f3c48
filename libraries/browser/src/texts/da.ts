import type { Texts } from './en.ts';

export const texts: Texts = {
  title: 'Kortnummer, udløbsdato og sikkerhedskode',
  confirming: 'Bekræft hos din bank',
  wait: 'Opretter forbindelse til din bank…',
  frame: 'Din banks bekræftelsesside',
  trouble: 'Vises din banks side ikke?',
  open: 'Åbn den i et nyt vindue',
  elsewhere: 'Din bank åbner i et nyt vindue. Bagefter fortsætter denne side af sig selv.',
  checking: 'Dit kort kontrolleres…',
  cancel: 'Annuller',
  stopTitle: 'Stoppe bekræftelsen?',
  stopText: 'Så gemmes kortet ikke.',
  stopYes: 'Stop',
  stopNo: 'Fortsæt',
  declined: 'Din bank har afvist kortet. Det blev ikke gemt.',
  notConfirmed: 'Din bank kunne ikke bekræfte, at det er dig. Kortet blev ikke gemt.',
  reload: 'En del af denne side kunne ikke indlæses. Genindlæs siden, og prøv igen.',
  paying: {
    stopText: 'Så trækkes der ingen penge.',
    declined: 'Din bank har afvist betalingen. Der er ikke trukket penge.',
    notConfirmed: 'Din bank kunne ikke bekræfte, at det er dig. Der er ikke trukket penge.',
  },
};
