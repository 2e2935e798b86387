/** The default seconds for the search of a first repair, and for the check of one change. */
export const searchSeconds = Object.freeze({ patience: 8, seconds: 10 });
