/** How values are combined. `none` if they are only moved. */
export type ReductionText = 'none' | 'sum' | 'prod' | 'min' | 'max' | 'avg' | 'preMulSum';
