/** The form of joining values; `none` where they are only moved. */
export type ReductionText = 'none' | 'sum' | 'prod' | 'min' | 'max' | 'avg' | 'preMulSum';
