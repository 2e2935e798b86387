/** True if a path names CUDA C++ or PTX. */
export function isKernelFile(path: string): boolean {
  return /\.(cu|ptx)$/i.test(path);
}
