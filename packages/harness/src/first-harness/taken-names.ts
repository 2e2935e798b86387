/** Names of a setup, of the package, and of the language, which no memory may have. */
export const takenNames: ReadonlySet<string> = new Set(
  `i n r rank ranks nranks alloc peer peers sum devcomm setup launch multicast local todo harness struct array bytes ptr expect
  i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64
  arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally
  for function if implements import in instanceof interface let new null package private protected public return static super
  switch this throw true try typeof undefined var void while with yield`.split(/\s+/u),
);
