export type { AuthorOf, HostOf, Phantom } from './author/phantom.ts';
export type { Builtins, MathBuiltins } from './author/builtins.ts';
export type { Coop, CoopLike, DevicePointerArg, Index3, Ptr, TypeFn } from './author/value.ts';
export type {
  HandleParam,
  Methods,
  ParamType,
  ParamTypes,
  PointerParam,
  ScalarParam,
  StructParam,
  TypeAuthor,
  ValueParam,
  VectorParam,
} from './author/param-type.ts';
export {
  addr,
  bf16,
  bool,
  e4m3,
  e5m2,
  f16,
  f32,
  f64,
  handleParam,
  i16,
  i32,
  i64,
  i8,
  ptr,
  structParam,
  u16,
  u32,
  u64,
  u8,
  valueTypeOf,
  vec,
} from './author/param-type.ts';
export type {
  Accept,
  AnyIntegerParam,
  AnyPointerParam,
  AnyValueParam,
  ArgumentsOf,
  ConstantParam,
  CoopParam,
  DeviceParams,
  ElementParam,
  FunctionParam,
  GivenOf,
  OptionsParam,
  PointerToParam,
  TypeParam,
  WordParam,
} from './author/accept.ts';
export {
  anyIntegerParam,
  anyPointerParam,
  anyValueParam,
  constantParam,
  coopParam,
  flagParam,
  orderParam,
  proxyParam,
  scopeParam,
  typeParam,
  wordParam,
} from './author/accept.ts';
export type {
  BodyFunction,
  Context,
  DeviceFn,
  DeviceFnRole,
  DeviceMethod,
  ChooseOverload,
  DeviceModule,
  FieldsOf,
  OverloadForm,
  OverloadArguments,
  OverloadRefusal,
  SessionDefinition,
  SessionMethod,
  SessionState,
  SignatureHelp,
  Use,
  UseAuthor,
  UseValue,
} from './author/device-fn.ts';
export {
  deviceFn,
  deviceModule,
  form,
  forms,
  intrinsic,
  multicastPointer,
  multicastSize,
  overloaded,
  primitive,
  unicastPointer,
  windowPointer,
  withFields,
} from './author/device-fn.ts';
export type { MethodDefinition } from './author/device-session.ts';
export { deviceSession, sessionState } from './author/device-session.ts';
export type { KernelDefinition, ParamsAuthor, ParamsHost } from './kernel.ts';
export type { Kernel } from './kernel-value.ts';
export { kernel } from './kernel.ts';
export { moduleKernel, type ModuleKernelDefinition } from './module-kernel.ts';
export type { CompileResult } from './compile-kernel.ts';
export { analyseKernel } from './compile-kernel.ts';
export type { FlatParam } from './lower/param.ts';
export { unknownValue } from './author/unknown-value.ts';
export { bodyOfText } from './capture/body-of-text.ts';
export { flattenParam } from './lower/param.ts';
export { callLocation, definitionSite } from './capture/definition-site.ts';
export type { DefinitionSite } from './capture/definition-site.ts';
export { hostCallLocation, provideAuthorText, stackLocation, type AuthorText } from './capture/provided-texts.ts';
