"""The tables of NumPy's ziggurats: where the strips under the densities of the standard normal and the standard
exponential distribution end.

A strip is three words: up to which number of bits a point lies under the density for certain, the width of the strip
over the numbers of bits, and the density at its end. The widths are facts that cannot be computed anew: NumPy's were
rounded on their way.
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable

STRIPS = 256
NORMAL_BITS = 52
EXPONENTIAL_BITS = 53
_NORMAL_LAST = 0xEF33D8025EF6A
_EXPONENTIAL_LAST = 0x1C5214272497C6
"""The first words of the strips that have a tail."""

_WIDTHS = (
    "dD#_sJ4w$x#`gW=3yq6Bv|B7ZuTYXaVLL=PxqOv845u&X`~jFeywFT83?rI6_hC3MO#qxcbaHfBFRYzB!_`bJNHU*1t-FpVGEJa7LtO$p1@)"
    "jjcQ!$nrjnsN^%{DQq9>v}fY@U=F14aO^^sS=KRly6FR`M*p1q?yRh$2f?>VGAr~W-QyRoD^bkiDQbtR=dmd*#KfR&{@>VDbJF#@JMJ$$2K("
    "rczXa0LL8qSB^3ruatF+BT;=cPg_Gt(d1gL-j_jMfj&YcM3yO%vGp7ns$4hWU;6`n9okBE(@tV>K-hDM`NixM#VUe$+@XKET^R0%nqtNS<QE"
    "CXJV>6FcuJQt+c8<oNN<qu?4F<DSASOgjK6NI-gRGHl(XOGJ?M<*72)6^G;d$a6YU&VLLLV6N;=nizagZ$<(YoNVk9vpB}9|5Fg|zooB5)!?"
    "+^=&abUJQ+DyGI`^$S{_WDW>piYK0B?FT>4UC3&Vu>9I?1j)CSve}=MAqsi1yf2_EE1quGfd2ZI!P)tS<U}Q`oOO>@-5)Rt>N`nvXg4KrXO6"
    "{G}G2>Q1mc5TJ5fR&TI83-oc2hL5m36JflBeXp=Qf6Pl}J<qT_YX}xg$nLN_?iH0XAP%uSz7H`6M=h~DL6MH1K1{JZ9w5ZO2y3xCG}?F?r-`"
    "vVh;8ms8>q27%PRQzX2!8RF4W+Yi{!C9pP)dQiUP7c>BhuzWgxOVAH(T=9X_%=`)jETv|F+~f72aiDtWRz8`l}fftIp7+Ag?ayR))9Q@G(`*"
    "wC^(j;YJ&+3m7C*GO&+!3wiHFuC;MjwiD`p<X6%L`1VZ)l$m3;$X8pYFGunYJIajWU{hv-I=pI13kFEJGQet;2l<&hSIY<gIaRlzV5R;be`a"
    "G<qEVsU38```zEwJq%b__07JAqUB}9E_g=I-Hp6C~-+Ht>FONtvx|Xy&T|ol&hqAOh+!3>^NzSx91*SL_0P3_nVpU%6s|B?@T8j$uO(C^BPi"
    "AV><~+4L$g&$wcUZMNcwbcx0CcrH6on4PfseI3SsNrH{i?M*J#&50a>lhh(~K{B<KeYDI9{K~PyMw#!yltyxEQuPqOhXq9W=H)3nsS&flszP"
    "a+b+g;%c@$H!-n;LWZ_Hv9eGpqM^1tyF;_+0ll_7Qqw45V%WAkRQO>r#Pha1>u8JjCl9wg#uRB$jw-i2-0pDP_eHlnA9Lk3Wns5GN%Zgf)_k"
    "`-lfAmgO_;Yl2^5Pw%ComT`y$)(OwYGG=iYOS*6O!BAL@prX9l=Dc818>03x_N6`zUDqCL1gz4g%_PFc7-#eRBk19iAOE%!%X!;rW<L%;=+j"
    ";y#moD89>WyrWZCu&4dN#wXZkF|3tIsmymM}sKbI2^e={0i?9MmV`VilPH~VpO?2?$vO+j&Qj=F)A*J%Z#}^znMRi8L7EEEZNnJdBwRr5p-`"
    "W?BTgQO49l!a{jqIk~aA{3>&&UTgajzyEnQ#h`S4(e^k0Wq^U}BT5-BOJu#qUOpdxd2=SjjR;#)^&h=W&c*wduHnWT2wB@=y8ll5a3j@16Tb"
    "P>gd?33#01V)u3O>6$13k_`wOhM9Cy76~eR;b)Jon}CWS6@<ZY71=Yqh&PqQEX|lheCAgRX&_-0{0Spcd?GND#a{Eqd_f*Dky~91U(0j7_{e"
    "1&8biW^BAX7pCjrW{bQ$tD-i&kE*;pkk&iL;mN!_H{fV6Ug^9%ZjXyH1_`}9An!L2+bF#}N5(T1-blSXBk|{!5NW+UrTf?PbBVn?aBd)(397"
    "w34oUp@(#pL&H!f0@(d)fD9MVbq1`WPE_D1T&bS}O;h|$5B98kVICH|K$0CK)O3co5#A(Xy62ygemfwsOpI;RkJBiX(@sq6t^2>iZ0AydMNG"
    "9SM@ZB4fiq(Z+uXaUI}UuM5Nf|rQ|W{ST&zanuMyRN@Hh37BQVAH=m3-%bnS@^#^b)eHn)DFNrN6C)@s3E{Ss{*NmsWiYm$Mrr=+DE`VezUF"
    "iJ6pg!XeOs4&~Csy7cOIun1aAORHEnzmzKah#K3WN&8omWNYw7pJ-@&_Fg>a?>eIkHlVuUl)abxGwx6c&|NX!`L2w`hZWF;gHC?-#At}K;Z3"
    ")C_9Y4W5J1$^IWL3dD^X{EH`D?*EVG`1G--5wBtm{rz8k)g8jxT?At+By8l%{d1oXNpFIj-dU>*2vX0omfhpZdW(fy@M*yc5Da?$d92M=ioU"
    "B%G|IMMuIs;8=FYykWvTE?KDhvV6ikcn){XE||hRQVJ?lH?+b$m)n*x)X>5_^?0eV4er7`?ygqS><hy@qoinFdn&^`qY|zK#7V<EK&Uf%(rL"
    "py3PDzqvx>t!`iQP@b*#fYrUVzWC(pw?b@X7W+w#La+U2>Nq!+|IlwMR7m_5Wi6*{Lx&Sb<qyhEIIVvWQ+Ct7QrbGO7i0*TEHCF8_AL9FRhp"
    "Af}7LVh|@5kSQ}8{|r<v2n#b*^P0Fz@^1J{?IxkirmFKOdf{MX%@yj>S_Rc&Qr!b!{wj8K$XTkGU5r1Yum;=G<sj~C@04}a|Q`km3hZJjLz2"
    "dE!4+6H1a7013Ab%6nv_`539&LmPBuq;4aBLt5-k)?#szMT6dIq+>gpUvHf^BADGKLGpz}Nv^&i_!Ck+U>}1hA89`l(omgNzD@|KTves%mx{"
    "X_@HIs2Xb1F*Z<|1`GfO^9FkWhF$%(r>((KvfNn7wVc*zA2gJY2>}@H>D!aQ4<D+i-zAGbY-Q0+@n4%5FXWh_iz{A^r=-6~%-+!%703_|1hp"
    "y(_2iK+lFe8PFHn&B=#6Z(!3@S-yxo(l;VifUSu<15#bS$d`&d#G~EarG1M$i9d|jdtZz^Hhl3-qCJf~T66JuW*Ck<s!w0f4DgOT2{LG1(!`"
    "HESaoXcc1w^v{D7NBNVAYUuk}fX^BIvmpx;aDjDL|l=Se>4CghPkF8?@X(npd!3uq(Zo~n{OOWG!-nhcXX0)lPg(ruGGpkg7>Q_hn-NM~@$C"
    "@z#d66ZBvT#b}GlMBsj`0JEBO>cN921=DY{l2(8j;ED8&o14^m;{zQ;AjkOEn${CM5+2>Q@xfvyO4Q#5gC^}b9o0NZgiJCa)Ew)Z_k%JnbrP"
    "N8!DJQ?BOdfcZ8TcD#g%Hh~AhyM56t@Q#hGCI1{Zx-jSI+zXShuEbEy(N{AG`LPVN8VbYdUC7qf)$t3bb*!7w`o0m*^Urw7miH|?CzNVWznf"
    "_Um`Tm<cpVDxe6IYx(+gida5U-p(`{wYD@&=tejceHPy<VL>SCB$#b+(;6{xN*_8xEd4L=ew|v}K+=VjJS+LA{<lpOgaP#uT4Cwf<KtMr@xv"
    "p{WFA!o#0D**uyNpADcqVzCYOT{)mU_;zv}A7!9CasW%a<B*^{Hvw@2t-PQ-W-odmeCVJ&6|5IIQWT*)zI||SFhHR^`+s-g7i^(CmLol>37D"
    "ZggHk=+2E?H};>4+t5b&Wq1rD*(Cmf<YDWk%(O-Q0VpBT_PgLI-is?CdZ$)KV<T|1>@A<d#ZAr}J?jQOHG5qA503MQjGp&N>-ol>Jb@EV1hM"
    "t`F`{O`|92CSnzZ8MF)-Pof%#0gLI%>|@9&}>HL*D|C$r)+VQ{9mLz#DmEEJdLD0q!?=*n!2Ps>P5@+6zHTp`vBR2t`(&`__Zv=XG5htCvP#"
    "lL2;!#`J7H`J)fmKHIot4Tg|0BCeK#-o%^LcE*f*=1S+OHjGJ7RkyxfY?(5SVMTe$5-#m?eAhxDF2&P%fB;}?&`>9Y7QxvB>90dAdtV5?fFw"
    "u9>F>|Lp3M8?1<f5lM_ZNL@#nPudcXH0m)dHwID(2t17Bi?k=Llh0iDRfdR1c)jE|jP|lwizA2*s#86BYjR7WSw-;d71zTqmhKih?z=*jTAN"
    "^t(Vgj*6)~T?5D3eY~kWQR&^>sP3seEm_ct5Fx5Okj7Ruwo|G+5A)D6n}(`9dS!v%z`3eC|E$WLDDA2|wTo`n(;%xnLM6}m!&Iw0wofv9`iQ"
    "GM5GDuPc)hDUh5ap^K=P|RE#N{<QzxuEq_OIPvRte@`y(URUy`gmY^9a+T*$0EfN|}EtNyG!t@1EIO*O4N{-Yl4Lu{=)3Z;!xk)y3Ve>KudH"
    "`}c|n@}dSHxsTrQlu7qluNEWe<SpoPlT>Kcy>w^YrU>KXpvj|==QEWf4rb>%P_Az&|XoP6l<?M<>BwM#-*=3*a_VV<lwJ7)Dii5Hx95o8#xj"
    "0G%T<@qa>1^Yf7*@+a?ju+-R^o53M@SiHEQ}8OSsDbEdF7Z<GM3oW-y_x6kiT1?8|j&hHCmuLQ9?N)?i7oFuV4D>`rN%|x+0!34yGMP;!(p0"
    "01*1ctFZAb6su4X3d@S}J&^VaTyOa5I~#0_w3mqV({S@(Z#&P~}fjGcK|`x;sGT#!#|6rrO70uXD0ID^o)0?v}DVQQJkdhq|&na4nV&eBQD="
    "WmzU!&H}SM(5EU3fhV&(Wyw3UmQ1reR;Y~l5puIULs2xG^_R0egNu!NM82~;(B7?#0p+tit?u>dFATIi_(HwO(lfL?EXf;%?OU`wGL+MpgM_"
    "p^Orc$;n60!tC$SuRFxRv^2$i`APXV<&vZ}0c_$#$MTBrC1F;}%bVMH5D{erbT2jMvSVXw73p1p_zWZbnpc^C+n2nx15lrDQDRXDahGW5e>P"
    "iM9~?nswP{g$>o9($TEWyiKW2PO2ejrg`a7}8wMeJZy+!*RXhJYBau`EhHt(vY`2({>bnN5!{15)^Lfqx!cz!@j^Q@i4eNLUU*aIcT^%t6OQ"
    "#g`l`Rl{Pzq;@P-7M0NAhS`@iF4l4XK`%k$%*cy%T(2Th}>e(bZ>dLu1c=1U-Rtma2J51<9B}=+I>V~btXpOo&#6{SGGts&{3bq5lnHIY|59"
    "*Onv0b}7UfOojk*2#mckfHyRPnn!r{Kat7CyW@^vK9U^o+bbf2s2958k{y#W*KxjWNAE>^tmll!v`MpYcwwP~g2hU<ny+@;kmf!GrTEubRF*"
    "O6pK&!u-BGr}vSUZeqVY<;M0y{>#5SF6?5n;vB#{?~e705mvxFPNmDu!I8i`ph#VKG0?y~rjkPgs1d<DDnxZ>cvitY*21&A1E0Y>eEP|tyz9"
    "X{pOIO%D?P$IrK(A;^^?Lp@DW6c<M6^fUiZu=?o`7(VYtZ0PQk-GViV+Mmp8;b(NRau*SW+z_H)lX*h<Ab(i3yxdhW$Ma=%M$XR5|LFUIQDP"
    ">07n8SV1spOeTug?mU1-08_Y{Bhb*p2N#LgS&ny*~!j4"
)
"""Doubles in base 85: those of the normal distribution, then those of the exponential."""
_NORMAL_ROUNDING = (
    "dccdcdddddcddcdddcddcdcddddccdcccdcccdddccccdcccddccddcdcdccccdccdcdccdcdcccccccccddddcdccdddcccdcdccdcccccd"
    "dcccccdccdcdccdccdddccccdcdccdccddcccccddcdcdccddcccdccddddddcdcccdddccddcdcdcdcddcdddccdccdccddcdddccccdddc"
    "dccdddccccdcdddcdccddcdddcdcdcdcddddcc"
)
_EXPONENTIAL_ROUNDING = (
    "adcdbbbabbbcccccbdccbbccccbbbdbccbccdacadbdbbcbbbcccccbccbccbbcabbcbbccbaacbccbcabeadbccbbccddbbbcccbacbabdb"
    "bcacccaacbcbcbcbcbccbbbbcdbcccbbcccdacbbbccadcbbabdcbbcbbbcdccbbcbdbbcccdcbaccbbcacbdcbcadcbbbcbcccabccbbbda"
    "cacccccdbacbcbacbcabcdbcbbdbbbdbccacbc"
)
"""How far the first words are from the quotients of the widths, from strip 2 on: ``a`` is -2, ``c`` is 0."""


def _strips(widths: tuple[float, ...], last: int, rounding: str, bits: int, density: Callable[[float], float]) -> bytes:
    limits = [last, 0]
    for i, letter in enumerate(rounding, 2):
        (above, below), (a, b) = widths[i - 1].as_integer_ratio(), widths[i].as_integer_ratio()
        limits.append((above * b << bits) // (below * a) + ord(letter) - ord("c"))
    ends = [0.0, *(width * 2.0**bits for width in widths[1:])]
    return b"".join(struct.pack("<qdd", limits[i], widths[i], density(ends[i])) for i in range(STRIPS))


def ziggurats() -> bytes:
    """The strips of the normal distribution, then those of the exponential.

    Example:
        >>> len(ziggurats()) // 24
        512
    """
    widths = struct.unpack(f"<{2 * STRIPS}d", base64.b85decode(_WIDTHS))
    normal = _strips(widths[:STRIPS], _NORMAL_LAST, _NORMAL_ROUNDING, NORMAL_BITS, _normal)
    exponential = _strips(
        widths[STRIPS:], _EXPONENTIAL_LAST, _EXPONENTIAL_ROUNDING, EXPONENTIAL_BITS, lambda x: math.exp(-x)
    )
    return normal + exponential


def _normal(x: float) -> float:
    return math.exp(-0.5 * x * x)
