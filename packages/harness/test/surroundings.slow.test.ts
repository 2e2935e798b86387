import './surroundings.test.ts';
