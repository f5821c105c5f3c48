// What buyers read in mails and on receipts, in the languages of the hosted pages.

import { type BuyerLanguage, languageOf } from '@svc/contract/settings/languages';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { type BuyerWords, en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';

const words: Readonly<Record<BuyerLanguage, BuyerWords>> = {
  ...{ en, ar, de, es, fr, it, ja, nl, pl, pt },
};

/** The words for a reader with that locale. */
export const wordsFor = (locale: string): BuyerWords => words[languageOf(locale)];
