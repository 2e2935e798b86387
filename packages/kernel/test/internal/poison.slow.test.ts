import './poison.test.ts';
