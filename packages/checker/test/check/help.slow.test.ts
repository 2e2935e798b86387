import './help.test.ts';
