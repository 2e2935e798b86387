import './unwritten-bytes.test.ts';
