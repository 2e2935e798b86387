/** The most severe result. `clean` if there are no findings and the check was complete. */
export type Verdict =
  | 'clean'
  | 'race'
  | 'deadlock'
  | 'misuse'
  | 'out-of-bounds'
  | 'uninitialised'
  | 'fault'
  | 'incomplete';
