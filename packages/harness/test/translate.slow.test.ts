import './translate.test.ts';
