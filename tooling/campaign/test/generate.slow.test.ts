import './generate.test.ts';
