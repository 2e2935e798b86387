/**
 * Changes of PTX for what-ifs. A file `NAME@EDIT.ptx` is `NAME.ptx` with one of them. The changed
 * kernels are for measurements: some of them are wrong on other machines.
 */
export const ptxEdits: Readonly<Record<string, (text: string) => string>> = Object.freeze({
  /** Releases become relaxed. */
  relaxed: (text) => text.replace(/^(\s*(?:@\S+\s+)?(?:st|atom|red)\S*)\.release\b/gm, '$1.relaxed'),
  /** Fences of the system are gone. */
  unfenced: (text) => text.replace(/^\s*(?:membar\.sys|fence\.\w+\.sys);\s*$/gm, ''),
  /** The joint offer of `nccl-ts relax` for FlashInfer's ulysses_a2a_kernel. */
  offered: (text) => {
    const relaxed = text.replace(/ld\.acquire\.sys\.global/g, 'ld.relaxed.sys.global');
    const last = relaxed.lastIndexOf('bar.sync');
    return `${relaxed.slice(0, last)}${relaxed.slice(last).replace(/^bar\.sync[^;]*;/, '')}`;
  },
});
