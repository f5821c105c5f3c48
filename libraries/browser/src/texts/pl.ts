import type { Texts } from './en.ts';

export const texts: Texts = {
  title: 'Numer karty, data ważności i kod zabezpieczający',
  confirming: 'Potwierdź w swoim banku',
  wait: 'Łączenie z bankiem…',
  frame: 'Strona potwierdzenia Twojego banku',
  trouble: 'Strona banku się nie pojawia?',
  open: 'Otwórz ją w nowym oknie',
  elsewhere: 'Twój bank otworzy się w nowym oknie. Potem ta strona przejdzie dalej sama.',
  checking: 'Sprawdzanie karty…',
  cancel: 'Anuluj',
  stopTitle: 'Przerwać potwierdzanie?',
  stopText: 'Karta nie zostanie wtedy zapisana.',
  stopYes: 'Przerwij',
  stopNo: 'Kontynuuj',
  declined: 'Bank odrzucił tę kartę. Nie została zapisana.',
  notConfirmed: 'Bank nie mógł potwierdzić Twojej tożsamości. Karta nie została zapisana.',
  reload: 'Nie udało się wczytać części tej strony. Odśwież stronę i spróbuj ponownie.',
  paying: {
    stopText: 'Nic nie zostanie wtedy pobrane.',
    declined: 'Bank odrzucił płatność. Nic nie zostało pobrane.',
    notConfirmed: 'Bank nie mógł potwierdzić Twojej tożsamości. Nic nie zostało pobrane.',
  },
};
