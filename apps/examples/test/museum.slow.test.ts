import './museum.test.ts';
