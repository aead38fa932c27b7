"""Bessel functions and Airy's function of one float: straight-line code for pointwise operators, computed in float64.

The series are Chebyshev expansions of this project, fitted to references of full precision. What they expand are the
regular parts of the Digital Library of Mathematical Functions (https://dlmf.nist.gov): 10.8 and 10.31 near 0, where a
logarithm is split off; 10.17, 10.40 and 9.7 far away, where a wave or an exponential is. Up to their second zero `J0`
and `J1` are accurate to some units in the last place; near other zeros it is the absolute error that is small.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math

from tscript.dialect import T, f64, fabs, select, sqrt
from tscript.dialect import vector_math as vm

INFINITY = math.inf
NAN = math.nan
TWO_OVER_PI = 0.6366197723675814
SQRT_HALF = 0.7071067811865476
SQRT_PI = 1.772453850905516

# ---- series


def j0_near(y: f64) -> f64:
    """``J0(x)`` over its factors for the first two zeros, for x up to 8, ``y = x * x / 32 - 1``."""
    y2 = y + y
    d = 4.8912290055811176e-20
    b = y2 * d - 3.0475993756698376e-18
    d = y2 * b - d + 1.6632588015211278e-16
    b = y2 * d - b - 7.875041254709154e-15
    d = y2 * b - d + 3.1989232970233477e-13
    b = y2 * d - b - 1.1003860827939697e-11
    d = y2 * b - d + 3.1559927583611334e-10
    b = y2 * d - b - 7.406701254344167e-09
    d = y2 * b - d + 1.3898025173428905e-07
    b = y2 * d - b - 2.0248894980012834e-06
    d = y2 * b - d + 2.204908639454817e-05
    b = y2 * d - b - 0.00017040584951557357
    d = y2 * b - d + 0.0008687721472062577
    b = y2 * d - b - 0.002620939138497025
    return y * b - d + 0.0019903555001601486


def j1_near(y: f64) -> f64:
    """``J1(x)`` over x and its factors for two zeros, for x up to 8, ``y = x * x / 32 - 1``."""
    y2 = y + y
    d = -9.546930865755219e-20
    b = y2 * d + 5.558821065951572e-18
    d = y2 * b - d - 2.8205466239524856e-16
    b = y2 * d - b + 1.2341465589619718e-14
    d = y2 * b - d - 4.60007822413452e-13
    b = y2 * d - b + 1.4395417669312554e-11
    d = y2 * b - d - 3.716577146675772e-10
    b = y2 * d - b + 7.747614077073057e-09
    d = y2 * b - d - 1.269075502369425e-07
    b = y2 * d - b + 1.576470099225889e-06
    d = y2 * b - d - 1.4149356425623485e-05
    b = y2 * d - b + 8.553646588540538e-05
    d = y2 * b - d - 0.0003115684036643562
    return y * d - b + 0.00027895709887613106


def y0_near(y: f64) -> f64:
    """``Y0(x) - 2 / pi log(x) J0(x)`` for x up to 8, ``y = x * x / 32 - 1``."""
    y2 = y + y
    d = 3.9032584173475982e-19
    b = y2 * d - 2.6977881152566837e-17
    d = y2 * b - d + 1.6434898714919468e-15
    b = y2 * d - b - 8.747341203310769e-14
    d = y2 * b - d + 4.02633081830612e-12
    b = y2 * d - b - 1.5837552541812015e-10
    d = y2 * b - d + 5.248794787330516e-09
    b = y2 * d - b - 1.44072332740187e-07
    d = y2 * b - d + 3.206532537654801e-06
    b = y2 * d - b - 5.632079141056987e-05
    d = y2 * b - d + 0.0007531135932577742
    b = y2 * d - b - 0.007287962479552079
    d = y2 * b - d + 0.04719668959576339
    b = y2 * d - b - 0.17730201278114358
    d = y2 * b - d + 0.26156734625504663
    b = y2 * d - b + 0.17903431407718265
    d = y2 * b - d - 0.2744743055297453
    return y * d - b - 0.03314611320328494


def y1_near(y: f64) -> f64:
    """``(Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x`` for x up to 8, ``y = x * x / 32 - 1``."""
    y2 = y + y
    d = -8.224911372021585e-19
    b = y2 * d + 5.34668038572867e-17
    d = y2 * b - d - 3.0511859694473254e-15
    b = y2 * d - b + 1.51429151205002e-13
    d = y2 * b - d - 6.4651518414115946e-12
    b = y2 * d - b + 2.344337905911516e-10
    d = y2 * b - d - 7.11055004989928e-09
    b = y2 * d - b + 1.7707804556154404e-07
    d = y2 * b - d - 3.53808001868935e-06
    b = y2 * d - b + 5.505982873338744e-05
    d = y2 * b - d - 0.0006414551451326356
    b = y2 * d - b + 0.005289897544167113
    d = y2 * b - d - 0.028328123944594365
    b = y2 * d - b + 0.08445197259652346
    d = y2 * b - d - 0.09591204536083074
    b = y2 * d - b - 0.01608717304766875
    return y * b - d + 0.0025380132357417816


def modulus_0(y: f64) -> f64:
    """What the cosine is multiplied by in ``J0(x)``, from 8 on, ``y = 128 / (x * x) - 1``."""
    y2 = y + y
    d = 1.6305919233744186e-17
    b = y2 * d - 1.0011513723467786e-16
    d = y2 * b - d + 6.748072215733873e-16
    b = y2 * d - b - 5.069034095935236e-15
    d = y2 * b - d + 4.3265957431549404e-14
    b = y2 * d - b - 4.3045788699253914e-13
    d = y2 * b - d + 5.168262387349193e-12
    b = y2 * d - b - 7.86409137723707e-11
    d = y2 * b - d + 1.6306464635151382e-09
    b = y2 * d - b - 5.1705945376060975e-08
    d = y2 * b - d + 3.0751847875194745e-06
    b = y2 * d - b - 0.0005365220468132117
    return y * b - d + 0.9994603493475187


def phase_0(y: f64) -> f64:
    """What the sine is multiplied by, over ``8 / x``, from 8 on, ``y = 128 / (x * x) - 1``."""
    y2 = y + y
    d = 1.3091448717220062e-19
    b = y2 * d - 6.191115787358143e-19
    d = y2 * b - d + 3.1082440486738143e-18
    b = y2 * d - b - 1.6686065214378146e-17
    d = y2 * b - d + 9.662128970303257e-17
    b = y2 * d - b - 6.09993013164005e-16
    d = y2 * b - d + 4.255225040245461e-15
    b = y2 * d - b - 3.336328185322427e-14
    d = y2 * b - d + 3.006145125351706e-13
    b = y2 * d - b - 3.206747420996635e-12
    d = y2 * b - d + 4.2201219046687385e-11
    b = y2 * d - b - 7.27191593686632e-10
    d = y2 * b - d + 1.7972457247968992e-08
    b = y2 * d - b - 7.414498411060647e-07
    d = y2 * b - d + 6.838519942611649e-05
    return y * d - b - 0.015555854605337009


def modulus_1(y: f64) -> f64:
    """What the cosine is multiplied by in ``J1(x)``, from 8 on, ``y = 128 / (x * x) - 1``."""
    y2 = y + y
    d = -1.7312313216116335e-17
    b = y2 * d + 1.0667689114335412e-16
    d = y2 * b - d - 7.221180842274018e-16
    b = y2 * d - b + 5.452674896044717e-15
    d = y2 * b - d - 4.6842237839904895e-14
    b = y2 * d - b + 4.699195515230542e-13
    d = y2 * b - d - 5.704863640395645e-12
    b = y2 * d - b + 8.816898659582339e-11
    d = y2 * b - d - 1.8718907491063067e-09
    b = y2 * d - b + 6.177633960644299e-08
    d = y2 * b - d - 3.987284300488908e-06
    b = y2 * d - b + 0.0008989898330859408
    return y * b - d + 1.0009030408600137


def phase_1(y: f64) -> f64:
    """What the sine is multiplied by, over ``8 / x``, from 8 on, ``y = 128 / (x * x) - 1``."""
    y2 = y + y
    d = 6.524081149589258e-19
    b = y2 * d - 3.2834519872981614e-18
    d = y2 * b - d + 1.767635548776479e-17
    b = y2 * d - b - 1.0269147531823243e-16
    d = y2 * b - d + 6.508282957783384e-16
    b = y2 * d - b - 4.5612523950772974e-15
    d = y2 * b - d + 3.5967765829165294e-14
    b = y2 * d - b - 3.2643156743279e-13
    d = y2 * b - d + 3.5152187949686082e-12
    b = y2 * d - b - 4.686363688176945e-11
    d = y2 * b - d + 8.229193327650554e-10
    b = y2 * d - b - 2.0959781384083424e-08
    d = y2 * b - d + 9.138615257955454e-07
    b = y2 * d - b - 9.62772354915708e-05
    return y * b - d + 0.04677778706953532


def k0_near(y: f64) -> f64:
    """``K0(x) + log(x) I0(x)`` for x up to 2, ``y = x * x / 2 - 1``."""
    y2 = y + y
    d = 1.7966278703136082e-16
    b = y2 * d + 5.635214661841847e-14
    d = y2 * b - d + 1.3895141631982779e-11
    b = y2 * d - b + 2.6056207418988497e-09
    d = y2 * b - d + 3.5563825166277007e-07
    b = y2 * d - b + 3.3247998700597626e-05
    d = y2 * b - d + 0.0019458946141853283
    b = y2 * d - b + 0.06152577860244072
    d = y2 * b - d + 0.787078990859296
    return y * d - b + 0.8433977275772223


def k1_near(y: f64) -> f64:
    """``x (K1(x) - log(x) I1(x))`` for x up to 2, ``y = x * x / 2 - 1``."""
    y2 = y + y
    d = -9.134664838823208e-18
    b = y2 * d - 3.1915543020248825e-15
    d = y2 * b - d - 8.882779293015399e-13
    b = y2 * d - b - 1.9122674002717066e-10
    d = y2 * b - d - 3.064684283349565e-08
    b = y2 * d - b - 3.4719237980698115e-06
    d = y2 * b - d - 0.0002581760262006355
    b = y2 * d - b - 0.011231633227874833
    d = y2 * b - d - 0.2331381337556394
    b = y2 * d - b - 1.4514444639271789
    return y * b - d - 0.2292832288405106


def k0_far(y: f64) -> f64:
    """``sqrt(x) exp(x) K0(x)`` from 2 on, ``y = 4 / x - 1``."""
    y2 = y + y
    d = -1.6475805939842632e-17
    b = y2 * d + 5.2103917776435543e-17
    d = y2 * b - d - 1.6782311257549006e-16
    b = y2 * d - b + 5.5120559994043335e-16
    d = y2 * b - d - 1.848593377920907e-15
    b = y2 * d - b + 6.340076476276646e-15
    d = y2 * b - d - 2.2275133267462965e-14
    b = y2 * d - b + 8.032890775068375e-14
    d = y2 * b - d - 2.9800969231481784e-13
    b = y2 * d - b + 1.1403405882073441e-12
    d = y2 * b - d - 4.514597883374519e-12
    b = y2 * d - b + 1.8559491149549264e-11
    d = y2 * b - d - 7.957489244477396e-11
    b = y2 * d - b + 3.5773972814003283e-10
    d = y2 * b - d - 1.6975345093890614e-09
    b = y2 * d - b + 8.574034017414225e-09
    d = y2 * b - d - 4.660489897687948e-08
    b = y2 * d - b + 2.766813639445015e-07
    d = y2 * b - d - 1.8317555227191195e-06
    b = y2 * d - b + 1.39498137188765e-05
    d = y2 * b - d - 0.00012849549581627802
    b = y2 * d - b + 0.0015698838857300533
    d = y2 * b - d - 0.0314481013119645
    return y * d - b + 1.2201515410329777


def k1_far(y: f64) -> f64:
    """``sqrt(x) exp(x) K1(x)`` from 2 on, ``y = 4 / x - 1``."""
    y2 = y + y
    d = 1.7940510478863572e-17
    b = y2 * d - 5.689462849193648e-17
    d = y2 * b - d + 1.8380935752430455e-16
    b = y2 * d - b - 6.057047270643018e-16
    d = y2 * b - d + 2.038703166239861e-15
    b = y2 * d - b - 7.0198370892147685e-15
    d = y2 * b - d + 2.4771544242195988e-14
    b = y2 * d - b - 8.976705182010146e-14
    d = y2 * b - d + 3.348419666052243e-13
    b = y2 * d - b - 1.2891739609498229e-12
    d = y2 * b - d + 5.139639673482343e-12
    b = y2 * d - b - 2.129967838427791e-11
    d = y2 * b - d + 9.218315187605315e-11
    b = y2 * d - b - 4.1903547593419254e-10
    d = y2 * b - d + 2.0150497551970347e-09
    b = y2 * d - b - 1.0345762465678097e-08
    d = y2 * b - d + 5.7410841254500495e-08
    b = y2 * d - b - 3.5019606030878126e-07
    d = y2 * b - d + 2.406484947837217e-06
    b = y2 * d - b - 1.936197974166083e-05
    d = y2 * b - d + 0.00019521551847135162
    b = y2 * d - b - 0.002857816859622779
    d = y2 * b - d + 0.10392373657681724
    return y * d - b + 1.3603130952422213


def airy_middle(y: f64) -> f64:
    """``Ai(x)`` for x from -6 to 2, ``y = (x + 2) / 4``."""
    y2 = y + y
    d = -7.070866198007895e-19
    b = y2 * d - 2.1501848242997507e-18
    d = y2 * b - d + 3.1579001128543586e-17
    b = y2 * d - b - 9.31695346064716e-17
    d = y2 * b - d - 4.1759243545597107e-16
    b = y2 * d - b + 4.403519218800548e-15
    d = y2 * b - d - 9.638462850616974e-15
    b = y2 * d - b - 6.330395765884145e-14
    d = y2 * b - d + 4.998060740578426e-13
    b = y2 * d - b - 7.320391388335262e-13
    d = y2 * b - d - 7.505023274955363e-12
    b = y2 * d - b + 4.5120269871187276e-11
    d = y2 * b - d - 3.432139716305899e-11
    b = y2 * d - b - 6.872528750687637e-10
    d = y2 * b - d + 3.144514394466578e-09
    b = y2 * d - b - 1.754949228512617e-10
    d = y2 * b - d - 4.7480935940319924e-08
    b = y2 * d - b + 1.625312951027347e-07
    d = y2 * b - d + 1.1078940909561706e-07
    b = y2 * d - b - 2.388680332415851e-06
    d = y2 * b - d + 5.884144160957906e-06
    b = y2 * d - b + 8.894157813861605e-06
    d = y2 * b - d - 8.308790360342944e-05
    b = y2 * d - b + 0.00013635466079863891
    d = y2 * b - d + 0.0003517624295647609
    b = y2 * d - b - 0.001847967273977794
    d = y2 * b - d + 0.0017030155672010565
    b = y2 * d - b + 0.0075040528747347115
    d = y2 * b - d - 0.023099786059506074
    b = y2 * d - b + 0.006539826099616935
    d = y2 * b - d + 0.07658320862153278
    b = y2 * d - b - 0.12552960424978643
    d = y2 * b - d - 0.035635245648797415
    b = y2 * d - b + 0.2494019918868029
    d = y2 * b - d - 0.11786513948317262
    b = y2 * d - b - 0.08776265494035469
    d = y2 * b - d - 0.12888154225314424
    b = y2 * d - b + 0.13358598577835648
    return y * b - d + 0.07981034257083895


def airy_right(y: f64) -> f64:
    """``2 sqrt(pi) x**0.25 exp(z) Ai(x)`` for ``z = 2 / 3 x**1.5`` from 1.875 on, ``y = 3.75 / z - 1``."""
    y2 = y + y
    d = -1.3822950750881697e-17
    b = y2 * d + 4.270405022886904e-17
    d = y2 * b - d - 1.3432461704055004e-16
    b = y2 * d - b + 4.307007288159501e-16
    d = y2 * b - d - 1.4096336694643054e-15
    b = y2 * d - b + 4.7162624913240795e-15
    d = y2 * b - d - 1.615802269742695e-14
    b = y2 * d - b + 5.6796188231307946e-14
    d = y2 * b - d - 2.052864358014934e-13
    b = y2 * d - b + 7.649571097889741e-13
    d = y2 * b - d - 2.94761065789356e-12
    b = y2 * d - b + 1.1787621749202175e-11
    d = y2 * b - d - 4.91348286512251e-11
    b = y2 * d - b + 2.1461551245798253e-10
    d = y2 * b - d - 9.887900977816396e-10
    b = y2 * d - b + 4.845739475637631e-09
    d = y2 * b - d - 2.553812026997859e-08
    b = y2 * d - b + 1.4690249919455715e-07
    d = y2 * b - d - 9.418579945803255e-07
    b = y2 * d - b + 6.9459315389359304e-06
    d = y2 * b - d - 6.203711385926986e-05
    b = y2 * d - b + 0.0007392077226566435
    d = y2 * b - d - 0.014861712351422083
    return y * d - b + 0.9843289764678439


def airy_cosine(y: f64) -> f64:
    """What the cosine is multiplied by in ``Ai(-x)``, for ``z = 2 / 3 x**1.5`` from 9 on, ``y = 162 / (z * z) - 1``."""
    y2 = y + y
    d = -7.901849816622544e-18
    b = y2 * d + 6.002525128301735e-17
    d = y2 * b - d - 5.115104967698899e-16
    b = y2 * d - b + 4.990200549851215e-15
    d = y2 * b - d - 5.724213414808897e-14
    b = y2 * d - b + 8.004266353266306e-13
    d = y2 * b - d - 1.4352343858984098e-11
    b = y2 * d - b + 3.5554986405887624e-10
    d = y2 * b - d - 1.3688792168811138e-08
    b = y2 * d - b + 1.0082722181589167e-06
    d = y2 * b - d - 0.00022505669199780642
    return y * d - b + 0.9997739209762264


def airy_sine(y: f64) -> f64:
    """What the sine is multiplied by, over ``9 / z``, ``y = 162 / (z * z) - 1``."""
    y2 = y + y
    d = -1.8189348033724338e-19
    b = y2 * d + 1.0871515630599125e-18
    d = y2 * b - d - 7.04325976989384e-18
    b = y2 * d - b + 5.002564535978989e-17
    d = y2 * b - d - 3.950791893650214e-16
    b = y2 * d - b + 3.53216244825539e-15
    d = y2 * b - d - 3.659129159829857e-14
    b = y2 * d - b + 4.5308340854664296e-13
    d = y2 * b - d - 6.998539914250006e-12
    b = y2 * d - b + 1.4338957480750018e-10
    d = y2 * b - d - 4.277656571799697e-09
    b = y2 * d - b + 2.168286245161885e-07
    d = y2 * b - d - 2.5150038621835732e-05
    return y * d - b + 0.00769067808693135


# ---- of the first kind


def wave(x: f64, cosine: f64, sine: f64) -> f64:
    """``cosine * cos(x - pi / 4) - sine * sin(x - pi / 4)``"""
    c = vm.cos(x)
    s = vm.sin(x)
    return SQRT_HALF * (cosine * (c + s) - sine * (s - c))


def far_from_zero(a: f64) -> f64:
    """A number from 8 on, infinity as a large one."""
    b = select(a < 8.0, 8.0, a)
    return select(b < 1.0e300, b, 1.0e300)


def j0_of(a: f64) -> f64:
    """``J0`` of what is not negative."""
    x = select(a < 8.0, a, 8.0)
    first = ((x - 2.404825557695773) + 1.176691651530894e-16) * (x + 2.404825557695773)
    second = ((x - 5.520078110286311) - 8.088597146146722e-17) * (x + 5.520078110286311)
    near = first * second * j0_near(x * x * 0.03125 - 1.0)
    z = far_from_zero(a)
    t = 8.0 / z
    y = 2.0 * t * t - 1.0
    far = wave(z, modulus_0(y), t * phase_0(y)) * sqrt(TWO_OVER_PI / z)
    return select(a < 8.0, near, select(a == INFINITY, 0.0, far))


def j1_of(a: f64) -> f64:
    """``J1`` of what is not negative."""
    x = select(a < 8.0, a, 8.0)
    first = ((x - 3.8317059702075125) + 1.5269184090088067e-16) * (x + 3.8317059702075125)
    second = ((x - 7.015586669815619) + 9.414165653410389e-17) * (x + 7.015586669815619)
    near = x * first * second * j1_near(x * x * 0.03125 - 1.0)
    z = far_from_zero(a)
    t = 8.0 / z
    y = 2.0 * t * t - 1.0
    # cos(x - 3 pi / 4) is sin(x - pi / 4)
    far = wave(z, t * phase_1(y), -modulus_1(y)) * sqrt(TWO_OVER_PI / z)
    return select(a < 8.0, near, select(a == INFINITY, 0.0, far))


def bessel_j0(x: T) -> T:
    z = f64(x)
    return T(select(z != z, z, j0_of(fabs(z))))


def bessel_j1(x: T) -> T:
    z = f64(x)
    found = j1_of(fabs(z))
    return T(select(z != z, z, select(z < 0.0, -found, found)))


def spherical_bessel_j0(x: T) -> T:
    z = f64(x)
    a = fabs(z)
    r = z * z
    # The first terms of the series of sin(x) / x.
    near = 1.0 - r / 6.0 * (1.0 - r / 20.0 * (1.0 - r / 42.0 * (1.0 - r / 72.0 * (1.0 - r / 110.0))))
    b = select(a < 0.25, 1.0, select(a == INFINITY, 1.0, a))
    far = select(a == INFINITY, 0.0, vm.sin(b) / b)
    return T(select(z != z, z, select(a < 0.25, near, far)))


# ---- of the second kind


def bessel_y0(x: T) -> T:
    z = f64(x)
    a = select(z < 8.0, select(z > 0.0, z, 1.0), 8.0)
    near = TWO_OVER_PI * vm.log(a) * j0_of(a) + y0_near(a * a * 0.03125 - 1.0)
    b = far_from_zero(z)
    t = 8.0 / b
    y = 2.0 * t * t - 1.0
    # sin(x - pi / 4) and cos(x - pi / 4) in the place of the cosine and minus the sine
    far = wave(b, t * phase_0(y), -modulus_0(y)) * sqrt(TWO_OVER_PI / b)
    found = select(z < 8.0, near, select(z == INFINITY, 0.0, far))
    return T(select(z != z, z, select(z < 0.0, NAN, select(z == 0.0, -INFINITY, found))))


def bessel_y1(x: T) -> T:
    z = f64(x)
    a = select(z < 8.0, select(z > 0.0, z, 1.0), 8.0)
    near = TWO_OVER_PI * (vm.log(a) * j1_of(a) - 1.0 / a) + a * y1_near(a * a * 0.03125 - 1.0)
    b = far_from_zero(z)
    t = 8.0 / b
    y = 2.0 * t * t - 1.0
    # sin(x - 3 pi / 4) is -cos(x - pi / 4)
    far = wave(b, -modulus_1(y), -t * phase_1(y)) * sqrt(TWO_OVER_PI / b)
    found = select(z < 8.0, near, select(z == INFINITY, 0.0, far))
    return T(select(z != z, z, select(z < 0.0, NAN, select(z == 0.0, -INFINITY, found))))


# ---- modified, of the second kind


def i0_power(t: f64) -> f64:
    """``I0(x)`` for x up to 2, ``t = x * x / 4``: the power series."""
    found = 6.276081345559193e-16
    found = found * t + 7.594058428126623e-14
    found = found * t + 7.594058428126624e-12
    found = found * t + 6.151187326782565e-10
    found = found * t + 3.936759889140842e-08
    found = found * t + 1.9290123456790124e-06
    found = found * t + 6.944444444444444e-05
    found = found * t + 0.001736111111111111
    found = found * t + 0.027777777777777776
    found = found * t + 0.25
    found = found * t + 1.0
    return found * t + 1.0


def i1_power(t: f64) -> f64:
    """``I1(x) / x`` for x up to 2, ``t = x * x / 4``."""
    found = 2.615033893982997e-17
    found = found * t + 3.451844740057556e-15
    found = found * t + 3.7970292140633116e-13
    found = found * t + 3.417326292656981e-11
    found = found * t + 2.460474930713026e-09
    found = found * t + 1.3778659611992944e-07
    found = found * t + 5.787037037037037e-06
    found = found * t + 0.00017361111111111112
    found = found * t + 0.003472222222222222
    found = found * t + 0.041666666666666664
    found = found * t + 0.25
    return found * t + 0.5


def k0_scaled(z: f64) -> f64:
    """``exp(x) K0(x)`` of a positive number."""
    a = select(z < 2.0, select(z > 0.0, z, 1.0), 2.0)
    grown = vm.exp(a)
    near = (k0_near(a * a * 0.5 - 1.0) - vm.log(a) * i0_power(a * a * 0.25)) * grown
    b = select(z < 2.0, 2.0, z)
    return select(z < 2.0, near, k0_far(4.0 / b - 1.0) / sqrt(b))


def k1_scaled(z: f64) -> f64:
    """``exp(x) K1(x)`` of a positive number."""
    a = select(z < 2.0, select(z > 0.0, z, 1.0), 2.0)
    grown = vm.exp(a)
    near = (k1_near(a * a * 0.5 - 1.0) / a + vm.log(a) * a * i1_power(a * a * 0.25)) * grown
    b = select(z < 2.0, 2.0, z)
    return select(z < 2.0, near, k1_far(4.0 / b - 1.0) / sqrt(b))


def at_ends(z: f64, found: f64) -> f64:
    """The value of a function with a pole at 0, of positive numbers."""
    return select(z != z, z, select(z < 0.0, NAN, select(z == 0.0, INFINITY, found)))


def modified_bessel_k0(x: T) -> T:
    z = f64(x)
    half = vm.exp(-0.5 * z)
    return T(at_ends(z, select(z == INFINITY, 0.0, k0_scaled(z) * half * half)))


def modified_bessel_k1(x: T) -> T:
    z = f64(x)
    half = vm.exp(-0.5 * z)
    return T(at_ends(z, select(z == INFINITY, 0.0, k1_scaled(z) * half * half)))


def scaled_modified_bessel_k0(x: T) -> T:
    z = f64(x)
    return T(at_ends(z, k0_scaled(z)))


def scaled_modified_bessel_k1(x: T) -> T:
    z = f64(x)
    return T(at_ends(z, k1_scaled(z)))


# ---- Airy's function


def airy_ai(x: T) -> T:
    z = f64(x)
    middle = airy_middle((select(z < -6.0, -6.0, select(z > 2.0, 2.0, z)) + 2.0) * 0.25)
    a = select(fabs(z) < 2.0, 2.0, fabs(z))
    a = select(a < 1.0e200, a, 1.0e200)
    root = sqrt(a)
    angle = a * root * 0.6666666666666666
    fourth = sqrt(root)
    right = airy_right(3.75 / angle - 1.0) * vm.exp(-angle) / (2.0 * SQRT_PI * fourth)
    b = select(angle < 9.0, 9.0, angle)
    t = 9.0 / b
    y = 2.0 * t * t - 1.0
    left = wave(b, airy_cosine(y), -t * airy_sine(y)) / (SQRT_PI * fourth)
    found = select(z < -6.0, select(z == -INFINITY, 0.0, left), select(z > 2.0, right, middle))
    return T(select(z != z, z, found))
