import './matrix-moves.test.ts';
