/** The most severe result; `clean` where nothing was, and nothing was left out. */
export type Verdict =
  | 'clean'
  | 'race'
  | 'deadlock'
  | 'misuse'
  | 'out-of-bounds'
  | 'uninitialised'
  | 'fault'
  | 'incomplete';
