// The dam break of Santillana and Dawson (2009), as D. Shapero draws it in his post "Overland Flow" (shapero.xyz,
// 2022): an upper basin, a ramp 1 wide, a lower basin.
// gmsh -2 -format msh2 -o input/overland/dam.msh input/overland/dam.geo
size = 0.125;
Point(1) = {0, 0, 0, size};
Point(2) = {3, 0, 0, size};
Point(3) = {3, 2, 0, size};
Point(4) = {2, 2, 0, size};
Point(5) = {2, 4, 0, size};
Point(6) = {3, 4, 0, size};
Point(7) = {3, 6, 0, size};
Point(8) = {0, 6, 0, size};
Point(9) = {0, 4, 0, size};
Point(10) = {1, 4, 0, size};
Point(11) = {1, 2, 0, size};
Point(12) = {0, 2, 0, size};
For i In {1:11}
  Line(i) = {i, i + 1};
EndFor
Line(12) = {12, 1};
Curve Loop(1) = {1:12};
Plane Surface(1) = {1};
Physical Curve("wall") = {1:12};
Physical Surface("ground") = {1};
