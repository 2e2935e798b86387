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
export { ptxDiagnosticCodes, type PtxDiagnostic, type PtxDiagnosticCode } from './diagnostic.ts';
export { importKernel, type ImportedKernel, type ImportedParam, type ImportOptions } from './import-kernel.ts';
export { parsePtx, type ParsedPtx } from './syntax/parse-ptx.ts';
