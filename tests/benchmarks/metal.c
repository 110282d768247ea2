/* The metal's mark: one evaluation of the head's acceleration, by hand in C, on the two grids of `cosserat.Panels`.
 *
 * The same discretisation, node for node, of the same swim (inextensible body, constant K2, travelling wave in K3,
 * still water, added mass as in the eel paper), with what only a special case allows: diagonal inertias, no place,
 * no stretch. N smooth nodes, M load nodes and TERMS of the series are fixed when it is compiled. */
#include <math.h>
#include <string.h>

typedef struct {
    double X[N], cumulative[N][N]; /* transposed: [from][to] */
    double inertia[6][N], added[6][N];
    double nose_mass, nose_drag;
    double weight[M], axial[M], lateral[M], dorsal[M], roll[M], convective[3][M];
    double to_load[N][M], from_load[M][N];
    double series[2][TERMS];
    double offset2, offset3, amplitude[3], wavelength, period;
} Body;

#define EACH(k, n) for (int k = 0; k < (n); k++)

static inline void cross_add(const double *a, const double *b, double s, double *out, int stride, int count) {
    EACH(p, count) {
        out[p] += s * (a[stride + p] * b[2 * stride + p] - a[2 * stride + p] * b[stride + p]);
        out[stride + p] += s * (a[2 * stride + p] * b[p] - a[p] * b[2 * stride + p]);
        out[2 * stride + p] += s * (a[p] * b[stride + p] - a[stride + p] * b[p]);
    }
}

static void curvature(const Body *b, double t, double K[3][3][N]) {
    memset(K, 0, sizeof(double) * 9 * N);
    const double w = 2.0 * M_PI / b->period;
    EACH(k, N) {
        const double x = b->X[k], a = (b->amplitude[0] * x + b->amplitude[1]) * x + b->amplitude[2];
        const double phase = 2.0 * M_PI * x / b->wavelength - w * t, s = sin(phase), c = cos(phase);
        K[0][1][k] = b->offset2;
        K[0][2][k] = b->offset3 + a * s;
        K[1][2][k] = -w * a * c;
        K[2][2][k] = -w * w * a * s;
    }
}

/* Quaternions by Fer's expansion, as in cosserat/orientation.py. */
static void orientation(const Body *b, double K[3][N], double q[4][N]) {
    memset(q, 0, sizeof(double) * 4 * N);
    EACH(p, N) q[0][p] = 1.0;
    EACH(stage, 4) {
        double F[3][N] = {0}, c[2][N], along[N], across[N];
        EACH(i, 3) EACH(k, N) {
            const double s = K[i][k];
            if (s != 0.0) EACH(p, N) F[i][p] += b->cumulative[k][p] * s;
        }
        EACH(i, 2) {
            EACH(p, N) c[i][p] = b->series[i][TERMS - 1];
            for (int k = TERMS - 2; k >= 0; k--) EACH(p, N) {
                const double h = 0.25 * (F[0][p] * F[0][p] + F[1][p] * F[1][p] + F[2][p] * F[2][p]);
                c[i][p] = c[i][p] * h + b->series[i][k];
            }
        }
        EACH(p, N) {
            const double h = 0.25 * (F[0][p] * F[0][p] + F[1][p] * F[1][p] + F[2][p] * F[2][p]);
            const double c0 = 1.0 - h * c[0][p], c1 = 1.0 - h * c[1][p], c2 = 0.5 * c1 * c1;
            const double x = 0.5 * c1 * F[0][p], y = 0.5 * c1 * F[1][p], z = 0.5 * c1 * F[2][p];
            const double s = q[0][p], i = q[1][p], j = q[2][p], k = q[3][p];
            along[p] = c0 * c1 - c2;
            across[p] = c2 - 0.25 * (c[0][p] + c0 * c[1][p]);
            q[0][p] = c0 * s - x * i - y * j - z * k;
            q[1][p] = c0 * i + x * s + y * k - z * j;
            q[2][p] = c0 * j - x * k + y * s + z * i;
            q[3][p] = c0 * k + x * j - y * i + z * s;
        }
        if (stage == 3) break;
        double FK[3][N] = {0}, FFK[3][N] = {0};
        cross_add(F[0], K[0], 1.0, FK[0], N, N);
        cross_add(F[0], FK[0], 1.0, FFK[0], N, N);
        EACH(i, 3) EACH(p, N) K[i][p] = along[p] * FK[i][p] + across[p] * FFK[i][p];
    }
}

static void integrate(const Body *b, int rows, double density[][N], double integral[][N]) {
    memset(integral, 0, sizeof(double) * rows * N);
    EACH(c, rows) EACH(k, N) {
        const double s = density[c][k];
        EACH(p, N) integral[c][p] += b->cumulative[k][p] * s;
    }
}

static void solve(double A[6][6], double x[6]) {
    EACH(i, 6) {
        for (int j = i; j < 6; j++) {
            double s = A[j][i];
            EACH(k, i) s -= A[j][k] * A[i][k];
            A[j][i] = j == i ? sqrt(s) : s / A[i][i];
        }
    }
    EACH(i, 6) {
        EACH(k, i) x[i] -= A[i][k] * x[k];
        x[i] /= A[i][i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++) x[i] -= A[k][i] * x[k];
        x[i] /= A[i][i];
    }
}

void head_acceleration(const Body *b, const double *head, double t, double *out) {
    double K[3][3][N], bent[2][3][N], q[4][N], R[3][3][N], spin[3][N], rates[9][N], integral[9][N];
    double swing[3][N] = {0}, acceleration[3][N];
    curvature(b, t, K);
    orientation(b, K[0], q);
    EACH(p, N) {
        const double w = q[0][p], x = q[1][p], y = q[2][p], z = q[3][p];
        R[0][0][p] = w * w + x * x - y * y - z * z, R[0][1][p] = 2 * (x * y - w * z), R[0][2][p] = 2 * (x * z + w * y);
        R[1][0][p] = 2 * (x * y + w * z), R[1][1][p] = w * w - x * x + y * y - z * z, R[1][2][p] = 2 * (y * z - w * x);
        R[2][0][p] = 2 * (x * z - w * y), R[2][1][p] = 2 * (y * z + w * x), R[2][2][p] = w * w - x * x - y * y + z * z;
        EACH(j, 2) EACH(i, 3) {
            bent[j][i][p] = R[i][0][p] * K[j + 1][0][p] + R[i][1][p] * K[j + 1][1][p] + R[i][2][p] * K[j + 1][2][p];
        }
    }
    integrate(b, 3, bent[0], spin);
    memset(rates, 0, sizeof(rates)); /* of position, velocity and spin rate */
    EACH(c, 3) memcpy(rates[c], R[c][0], sizeof(double) * N), memcpy(rates[6 + c], bent[1][c], sizeof(double) * N);
    cross_add(spin[0], rates[0], 1.0, rates[3], N, N);
    cross_add(spin[0], bent[0][0], 1.0, rates[6], N, N);
    integrate(b, 9, rates, integral);
    cross_add(integral[6], rates[0], 1.0, swing[0], N, N);
    cross_add(spin[0], rates[3], 1.0, swing[0], N, N);
    integrate(b, 3, swing, acceleration);

    double twist[6][N], rate[6][N];
    const double *V = head, *O = head + 3;
    EACH(p, N) {
        double v[3], o[3], a[3], g[3], r[3], vs[3], s[3];
        EACH(c, 3) r[c] = integral[c][p], vs[c] = integral[3 + c][p], s[c] = spin[c][p], o[c] = O[c] + s[c];
        EACH(c, 3) v[c] = V[c] + O[(c + 1) % 3] * r[(c + 2) % 3] - O[(c + 2) % 3] * r[(c + 1) % 3] + vs[c];
        EACH(c, 3) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            a[c] = O[d] * (v[e] + vs[e]) - O[e] * (v[d] + vs[d]) + acceleration[c][p] - o[d] * v[e] + o[e] * v[d];
            g[c] = integral[6 + c][p] + O[d] * s[e] - O[e] * s[d];
        }
        EACH(i, 3) {
            twist[i][p] = R[0][i][p] * v[0] + R[1][i][p] * v[1] + R[2][i][p] * v[2];
            twist[3 + i][p] = R[0][i][p] * o[0] + R[1][i][p] * o[1] + R[2][i][p] * o[2];
            rate[i][p] = R[0][i][p] * a[0] + R[1][i][p] * a[1] + R[2][i][p] * a[2];
            rate[3 + i][p] = R[0][i][p] * g[0] + R[1][i][p] * g[1] + R[2][i][p] * g[2];
        }
    }

    double load[6][M] = {0}, force[4][M], wrench[6][N] = {0};
    EACH(c, 6) EACH(k, N) {
        const double s = twist[c][k];
        EACH(p, M) load[c][p] += b->to_load[k][p] * s;
    }
    EACH(p, M) {
        const double across = sqrt(load[1][p] * load[1][p] + load[2][p] * load[2][p]), w = b->weight[p];
        const double c2 = load[5][p] * load[0][p] - load[3][p] * load[2][p];
        const double c3 = load[3][p] * load[1][p] - load[4][p] * load[0][p];
        force[0][p] = -w * b->axial[p] * fabs(load[0][p]) * load[0][p];
        force[1][p] = -w * (b->lateral[p] * across * load[1][p] + b->convective[0][p] * c2);
        force[2][p] = -w * (b->dorsal[p] * across * load[2][p] + b->convective[1][p] * c3);
        force[3][p] = -w * b->roll[p] * fabs(load[3][p]) * load[3][p];
    }
    EACH(c, 4) EACH(k, M) {
        const double s = force[c][k];
        EACH(p, N) wrench[c][p] += b->from_load[k][p] * s;
    }
    double A[6][6] = {0}, W[6] = {0};
    EACH(p, N) {
        double m[6], h[6], f[3], c[3], S[3][3], J[3][3], r[3] = {integral[0][p], integral[1][p], integral[2][p]};
        EACH(i, 6) m[i] = b->inertia[i][p] + b->added[i][p], h[i] = b->inertia[i][p] * twist[i][p];
        double w[6];
        EACH(i, 3) {
            const int d = (i + 1) % 3, e = (i + 2) % 3;
            w[i] = wrench[i][p] - m[i] * rate[i][p] - (twist[3 + d][p] * h[e] - twist[3 + e][p] * h[d]);
            w[3 + i] = wrench[3 + i][p] - m[3 + i] * rate[3 + i][p]
                       - (twist[3 + d][p] * h[3 + e] - twist[3 + e][p] * h[3 + d])
                       - (twist[d][p] * h[e] - twist[e][p] * h[d]);
        }
        EACH(i, 3) {
            f[i] = R[i][0][p] * w[0] + R[i][1][p] * w[1] + R[i][2][p] * w[2];
            c[i] = R[i][0][p] * w[3] + R[i][1][p] * w[4] + R[i][2][p] * w[5];
            EACH(j, 3) {
                S[i][j] = J[i][j] = 0.0;
                EACH(k, 3) S[i][j] += R[i][k][p] * m[k] * R[j][k][p], J[i][j] += R[i][k][p] * m[3 + k] * R[j][k][p];
            }
        }
        double Sr[3][3]; /* -S r^ : column e_j gives S (e_j x r) with its sign */
        EACH(i, 3) EACH(j, 3) {
            const int d = (j + 1) % 3, e = (j + 2) % 3;
            Sr[i][j] = -(S[i][d] * r[e] - S[i][e] * r[d]);
        }
        EACH(i, 3) {
            const int d = (i + 1) % 3, e = (i + 2) % 3;
            W[i] += f[i];
            W[3 + i] += c[i] + r[d] * f[e] - r[e] * f[d];
            EACH(j, 3) {
                A[i][j] += S[i][j];
                A[i][3 + j] += Sr[i][j];
                A[3 + j][i] += Sr[i][j];
                A[3 + i][3 + j] += J[i][j] + r[d] * Sr[e][j] - r[e] * Sr[d][j];
            }
        }
    }
    A[0][0] += b->nose_mass;
    W[0] -= b->nose_drag * fabs(V[0]) * V[0] + b->nose_mass * (O[1] * V[2] - O[2] * V[1]);
    solve(A, W);
    memcpy(out, W, sizeof(W));
}

/* `count` evaluations at slightly different times; returns a sum, so that none can be left out. */
double repeat(const Body *b, const double *head, double t, int count) {
    double sum = 0.0, out[6];
    EACH(k, count) {
        head_acceleration(b, head, t + 1e-9 * k, out);
        sum += out[0];
    }
    return sum;
}
