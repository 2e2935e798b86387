import './ptx.test.ts';
