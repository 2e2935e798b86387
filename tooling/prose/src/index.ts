export { isWritten, markdownFiles } from './markdown-files.ts';
