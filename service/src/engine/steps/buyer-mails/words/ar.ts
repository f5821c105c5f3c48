import type { BuyerWords } from './en.ts';

/** Keeps a text of another direction from changing the order of the sentence around it. Unicode TR9. */
const apart = (text: string): string => `\u2068${text}\u2069`;

export const ar: BuyerWords = {
  testMode: 'وضع الاختبار: لا أموال حقيقية.',
  sandbox: 'بيئة تجريبية: لا أموال حقيقية.',
  questions: (email) => `للأسئلة: ${apart(email)}`,
  askTheShop: 'للأسئلة: تواصل مع المتجر.',
  fact: (name, value) => `${name}: ${apart(value)}`,
  cardName: (brand, lastFour) => `${apart(brand)} المنتهية بـ ${apart(lastFour)}`,

  receiptSubject: (number, shop) => `الإيصال ${apart(number)} من ${apart(shop)}`,
  receiptHead: (number, day, shop) =>
    `الإيصال ${apart(number)} بتاريخ ${apart(day)} من ${apart(shop)}`,
  receiptCopiedSubject: (number, shop) => `أُرسل الإيصال ${number} من ${shop} إلى عنوان آخر`,
  receiptCopied: (number, shop, to) =>
    `أرسل ${shop} إيصالك ${number} إلى ${to}. إذا لم تطلب ذلك، فأخبر المتجر.`,
  discount: 'الخصم',
  paid: 'المدفوع',
  refunded: 'المسترد',
  paidWith: 'طريقة الدفع',
  toReadAndPrint: 'لقراءته وطباعته:',

  refundSubject: (shop) => `المبلغ المسترد من ${apart(shop)}`,

  refundFailedSubject: (shop) => `تعذّر صرف المبلغ المسترد من ${apart(shop)}`,
  refundFailed: (sum) => `تعذّرت إعادة ${apart(sum)} إلى البطاقة أو الحساب الذي دفعت منه.`,
  getInTouch: (shop) => `يُرجى التواصل مع ${apart(shop)} لتحصل على المبلغ بطريقة أخرى.`,

  renewalFailedSubject: (shop) => `رُفضت دفعتك إلى ${apart(shop)}`,
  renewalFailed: (sum, product) =>
    `تعذّر خصم ${apart(sum)} مقابل ${apart(product)}. ستُعاد المحاولة في الأيام القادمة.`,

  cardExpiresSubject: (shop) => `بطاقتك لدى ${apart(shop)} توشك أن تنتهي صلاحيتها`,
  cardExpires: (card, month, shop) =>
    `تنتهي صلاحية ${card} بنهاية ${apart(month)}. يُدفع بها اشتراك لدى ${apart(shop)}.`,

  manage: 'لعرض مدفوعاتك واشتراكاتك:',

  endPlannedSubject: (shop) => `اشتراكك لدى ${apart(shop)} على وشك الانتهاء`,
  endPlanned: (product, day) =>
    `يستمر ${apart(product)} حتى ${apart(day)} ثم ينتهي. ولن يُخصم شيء بعد ذلك.`,
  resumedSubject: (shop) => `اشتراكك لدى ${apart(shop)} مستمر`,
  resumed: (product, day) => `يستمر ${apart(product)} ويتجدد في ${apart(day)}.`,
  endedSubject: (shop) => `انتهى اشتراكك لدى ${apart(shop)}`,
  ended: (product) => `انتهى ${apart(product)}. ولن يُخصم شيء بعد ذلك.`,

  pageLinkSubject: (shop) => `رابط مشترياتك لدى ${apart(shop)}`,
  lookAtPurchases: 'لعرض اشتراكاتك ومدفوعاتك وبطاقاتك:',
  lookAtCard: 'لعرض بطاقتك وحفظ بطاقة أخرى:',
  linkWorks: 'يعمل الرابط لمدة سبعة أيام.',

  confirmAddressSubject: (shop) => `أكِّد عنوانك الجديد لدى ${shop}`,
  confirmAddress: (shop) =>
    `من المقرر أن تصل رسائل ${shop} إليك على هذا العنوان. أكِّد ذلك في هذه الصفحة:`,
  confirmWorks: 'يعمل الرابط يومًا واحدًا. إذا لم تطلب ذلك، فتجاهل هذه الرسالة: لن يتغير شيء.',
  addressChangedSubject: (shop) => `تم تغيير عنوانك لدى ${shop}`,
  addressChanged: (shop, to) => `تصل رسائل ${shop} الآن إلى ${to}، ولم تعد تصل إلى هذا العنوان.`,
  addressNotYou: (shop) => `إذا لم تكن أنت من فعل ذلك، فأخبر ${shop} فورًا.`,

  receipt: (number) => `الإيصال ${apart(number)}`,
  refundReceipt: (number) => `إيصال الاسترداد ${apart(number)}`,
  whatWasBought: 'المشتريات',
  item: 'المنتج',
  quantity: 'الكمية',
  sum: 'المبلغ',
  paidOn: 'تاريخ الدفع',
  refundedOn: 'تاريخ الاسترداد',
  refundedSince: 'المسترد بعد ذلك',
  issuedOn: 'تاريخ الإصدار',
  referenceName: 'رقم المرجع',
  taxNumberName: 'الرقم الضريبي',
  questionsName: 'للأسئلة',
  noReceipt: 'لا يوجد إيصال',
  noReceiptTitle: 'لا يوجد إيصال في هذا العنوان',
  noReceiptText: 'تحقق من نسخ العنوان كاملًا، أو اطلبه من المتجر مرة أخرى.',
};
