export { diffOf, edited, type Edit } from './edits.ts';
export { inputsOf, type ContextMemory, type RelaxInput } from './inputs.ts';
export { placesOf, type SyncPlace, type SourceLine } from './places.ts';
export { relax, type RelaxOptions } from './relax.ts';
export type { JudgedInput, JudgedPlace, Judgement, RelaxReport } from './relax-report.ts';
export { weakeningsOf, type PlaceKind, type Weakened, type Weakening } from './weakenings.ts';
