import './convert.test.ts';
