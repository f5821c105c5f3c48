// The text of the mail about a refund: the service sends it, and the page shows it beforehand.

import { type BuyerLanguage, languageOf } from '../settings/languages.ts';
import type { RefundReason } from './refunds.ts';

type RefundTexts = {
  readonly onItsWay: (sum: string) => string;
  readonly reasons: Readonly<Record<Exclude<RefundReason, 'other'>, string>>;
  readonly where: string;
  readonly reference: (text: string) => string;
};

const texts: Readonly<Record<BuyerLanguage, RefundTexts>> = {
  en: {
    onItsWay: (sum) => `${sum} is on its way back to you.`,
    reasons: {
      duplicate: 'Reason: it was paid twice.',
      fraudulent: 'Reason: it was not you who paid.',
      requested_by_customer: 'Reason: you asked for it.',
    },
    where:
      'It goes to the card or account that you paid with. Banks may take up to ten days to show it.',
    reference: (text) => `Reference: ${text}`,
  },
  ar: {
    onItsWay: (sum) => `المبلغ \u2068${sum}\u2069 في طريقه إليك.`,
    reasons: {
      duplicate: 'السبب: دُفع المبلغ مرتين.',
      fraudulent: 'السبب: لم تكن أنت من دفع.',
      requested_by_customer: 'السبب: طلبت ذلك.',
    },
    where: 'يُعاد إلى البطاقة أو الحساب الذي دفعت منه. قد يحتاج المصرف إلى عشرة أيام حتى يُظهره.',
    reference: (text) => `رقم المرجع: \u2068${text}\u2069`,
  },
  de: {
    onItsWay: (sum) => `${sum} sind auf dem Weg zurück zu Ihnen.`,
    reasons: {
      duplicate: 'Grund: Es wurde doppelt bezahlt.',
      fraudulent: 'Grund: Nicht Sie haben bezahlt.',
      requested_by_customer: 'Grund: Sie haben darum gebeten.',
    },
    where:
      'Das Geld geht auf die Karte oder das Konto, womit Sie bezahlt haben. Bis die Bank es anzeigt, können zehn Tage vergehen.',
    reference: (text) => `Referenz: ${text}`,
  },
  es: {
    onItsWay: (sum) => `Le estamos devolviendo ${sum}.`,
    reasons: {
      duplicate: 'Motivo: se pagó dos veces.',
      fraudulent: 'Motivo: no fue usted quien pagó.',
      requested_by_customer: 'Motivo: usted lo pidió.',
    },
    where:
      'El dinero vuelve a la tarjeta o cuenta con la que pagó. El banco puede tardar hasta diez días en mostrarlo.',
    reference: (text) => `Referencia: ${text}`,
  },
  fr: {
    onItsWay: (sum) => `Un remboursement de ${sum} est en route vers vous.`,
    reasons: {
      duplicate: 'Motif : le paiement a été fait deux fois.',
      fraudulent: 'Motif : ce n’est pas vous qui avez payé.',
      requested_by_customer: 'Motif : vous l’avez demandé.',
    },
    where:
      'Il arrive sur la carte ou le compte qui a servi au paiement. La banque peut mettre jusqu’à dix jours pour l’afficher.',
    reference: (text) => `Référence : ${text}`,
  },
  it: {
    onItsWay: (sum) => `Ti stiamo rimborsando ${sum}.`,
    reasons: {
      duplicate: 'Motivo: è stato pagato due volte.',
      fraudulent: 'Motivo: non sei stato tu a pagare.',
      requested_by_customer: 'Motivo: lo hai chiesto tu.',
    },
    where:
      'Il denaro torna sulla carta o sul conto con cui hai pagato. La banca può impiegare fino a dieci giorni per mostrarlo.',
    reference: (text) => `Riferimento: ${text}`,
  },
  ja: {
    onItsWay: (sum) => `${sum} の返金手続きを行いました。`,
    reasons: {
      duplicate: '理由：二重にお支払いいただいていたため。',
      fraudulent: '理由：ご本人によるお支払いではなかったため。',
      requested_by_customer: '理由：お客様のご依頼によるもの。',
    },
    where:
      'お支払いに使われたカードまたは口座に返金されます。銀行で表示されるまで最大 10 日かかることがあります。',
    reference: (text) => `照会番号：${text}`,
  },
  nl: {
    onItsWay: (sum) => `${sum} is onderweg terug naar u.`,
    reasons: {
      duplicate: 'Reden: er is twee keer betaald.',
      fraudulent: 'Reden: u was het niet die betaalde.',
      requested_by_customer: 'Reden: u hebt erom gevraagd.',
    },
    where:
      'Het geld gaat naar de kaart of rekening waarmee u hebt betaald. Het kan tien dagen duren voordat de bank het laat zien.',
    reference: (text) => `Referentie: ${text}`,
  },
  pl: {
    onItsWay: (sum) => `Zwrot ${sum} jest już w drodze.`,
    reasons: {
      duplicate: 'Powód: zapłacono dwa razy.',
      fraudulent: 'Powód: płatności dokonał ktoś inny.',
      requested_by_customer: 'Powód: zwrot na Twoją prośbę.',
    },
    where:
      'Pieniądze wrócą na kartę lub konto, z którego zapłacono. Bank może je pokazać dopiero po dziesięciu dniach.',
    reference: (text) => `Numer referencyjny: ${text}`,
  },
  pt: {
    onItsWay: (sum) => `O reembolso de ${sum} está a caminho.`,
    reasons: {
      duplicate: 'Motivo: foi pago duas vezes.',
      fraudulent: 'Motivo: não foi você quem pagou.',
      requested_by_customer: 'Motivo: foi você quem o pediu.',
    },
    where:
      'O dinheiro volta para o cartão ou a conta com que pagou. O banco pode demorar até dez dias a mostrá-lo.',
    reference: (text) => `Referência: ${text}`,
  },
};

/** The line with the payment's short name. */
export const referenceLine = (reference: string, locale: string): string =>
  texts[languageOf(locale)].reference(reference);

/** `sum` is written for the reader, by `writtenSum`; `reference` is the payment's short name. */
export function refundMailText(
  about: {
    readonly sum: string;
    readonly reason: RefundReason | null;
    readonly reference: string;
  },
  locale: string,
): string {
  const { onItsWay, reasons, where, reference } = texts[languageOf(locale)];
  const reason = about.reason && about.reason !== 'other' ? reasons[about.reason] : null;
  return [onItsWay(about.sum), reason, where, reference(about.reference)]
    .filter((line) => line !== null)
    .join('\n');
}
