export type {
  PtxAddressBase,
  PtxBody,
  PtxFunction,
  PtxInitial,
  PtxInstruction,
  PtxItem,
  PtxLabel,
  PtxLocation,
  PtxModule,
  PtxOperand,
  PtxSpan,
  PtxStateSpace,
  PtxType,
  PtxVariable,
} from './syntax/module.ts';
export { directiveFidelities, instructionFidelities, registerFidelities } from './fidelity.ts';
export { ptxDiagnosticCodes, type PtxDiagnostic, type PtxDiagnosticCode } from './syntax/diagnostic.ts';
export { callResult, callResultAddress, type CallMap, type CallParam, type DeviceCall } from './call-map.ts';
export { gridWorkspace } from './lower/grid-workspace.ts';
export { importKernel, type ImportedKernel } from './import-kernel.ts';
export type { ImportedParam } from './import-options.ts';
export type { ImportOptions } from './import-options.ts';
export {
  tensorMapLayout,
  tensorMapMark,
  tensorMapTypes,
  type TensorMapLayout,
  type TensorMapType,
} from './tensor-map.ts';
export { parsePtx, type ParsedPtx } from './syntax/parse-ptx.ts';
export { demangle } from './syntax/demangle.ts';
export { matchingEntries, withoutParameters } from './syntax/matching-entries.ts';
export { renderPtxDiagnostic } from './render-ptx-diagnostic.ts';
