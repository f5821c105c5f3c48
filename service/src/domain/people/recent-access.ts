/** For how many days access that was opened is listed as recent. */
export const recentAccessDays = 30;
