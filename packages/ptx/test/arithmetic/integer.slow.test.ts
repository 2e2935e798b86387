import './integer.test.ts';
