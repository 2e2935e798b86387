/** True if a path names CUDA C++ or PTX. */
export function isKernelFile(path: string): boolean {
  return /\.(cu|ptx)$/i.test(path);
}

/** The word for standard input. */
export const STDIN = '-';

/** True if a path names a program in JSON, or standard input, which has one. */
export function isProgramFile(path: string): boolean {
  return path === STDIN || /\.json$/i.test(path);
}
