import './large-kernels.test.ts';
